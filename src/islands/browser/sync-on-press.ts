import { onOutboxEvent } from '../../lib/outbox/news.ts';
import { readPendingCommands } from '../../lib/outbox/presses.ts';
import { requestBackgroundSync } from './desk-worker.ts';

/** Requests Background Sync whenever this person has waiting commands. Returns a function that stops it. */
export function requestSyncForCommands(person: string): () => void {
  async function requestIfQueued(): Promise<void> {
    if ((await readPendingCommands(person)).some(({ state }) => state === 'waiting'))
      await requestBackgroundSync();
  }
  void requestIfQueued();
  return onOutboxEvent((event) => {
    if (event.type === 'commands' && event.person === person) void requestIfQueued();
  });
}
