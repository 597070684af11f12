import { onNews } from '../../lib/outbox/news.ts';
import { nextOf } from '../../lib/outbox/order.ts';
import { readPresses } from '../../lib/outbox/presses.ts';

/**
 * Tells whenever words of a person begin to wait on this device, and when none do any more that could be sent: photos
 * go behind them. Returns what ends it.
 */
export function watchWords(person: string, tell: (wait: boolean) => void): () => void {
  let looks = 0;
  async function look(): Promise<void> {
    looks += 1;
    const turn = looks;
    // Before it is looked up: from the press on no byte of a photo is in its way.
    tell(true);
    const next = await readPresses(person).then(nextOf, () => undefined);
    if (turn === looks) tell(next !== undefined);
  }
  void look();
  const stop = onNews((news) => {
    if (news.of === 'presses' && news.person === person) void look();
  });
  return () => {
    looks += 1;
    stop();
  };
}
