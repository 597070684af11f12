import { desk as words } from '../../lib/text/desk.ts';
import { outbox } from '../../lib/text/outbox.ts';
import type { Sent } from './save.ts';

/** What a saving has come to, in a sentence. */
export function sentenceOf(what: Sent): string {
  switch (what.kind) {
    case 'kept':
      return outbox.kept;
    case 'refused':
      return outbox.needsYou;
    case 'published':
      return words.status.sent.published(what.number);
    default:
      return words.status.sent[what.kind];
  }
}
