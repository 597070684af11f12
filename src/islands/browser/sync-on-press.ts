import { onNews } from '../../lib/outbox/news.ts';
import { waiting } from '../../lib/outbox/presses.ts';
import { askForSync } from './desk-worker.ts';

/** Has the browser send what this person has pressed, should every page be closed before it is sent. Returns what ends it. */
export function syncOnPress(person: string): () => void {
  async function ask(): Promise<void> {
    if ((await waiting(person)).some(({ state }) => state === 'waiting')) await askForSync();
  }
  void ask();
  return onNews((news) => {
    if (news.of === 'presses' && news.person === person) void ask();
  });
}
