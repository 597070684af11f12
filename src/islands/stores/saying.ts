import { desk as messages } from '../../lib/text/desk.ts';
import { outbox } from '../../lib/text/outbox.ts';
import type { SaveStatus } from './save.ts';

/** Status message for the result of a save. */
export function statusMessageOf(status: SaveStatus): string {
  switch (status.kind) {
    case 'kept':
      return outbox.kept;
    case 'refused':
      return outbox.needsYou;
    case 'published':
      return messages.status.sent.published(status.number);
    default:
      return messages.status.sent[status.kind];
  }
}
