import { onOutboxEvent } from '../../lib/outbox/news.ts';
import { nextCommand } from '../../lib/outbox/order.ts';
import { readCommands } from '../../lib/outbox/presses.ts';

/**
 * Reports whether commands are waiting to be sent, so that photos can wait for text. Returns a function that stops it.
 */
export function watchQueuedText(person: string, onChange: (isWaiting: boolean) => void): () => void {
  let checks = 0;
  async function check(): Promise<void> {
    checks += 1;
    const checkNumber = checks;
    // Reported before the read, so that photo uploads stop as soon as a command is added.
    onChange(true);
    const next = await readCommands(person).then(nextCommand, () => undefined);
    if (checkNumber === checks) onChange(next !== undefined);
  }
  void check();
  const stop = onOutboxEvent((event) => {
    if (event.type === 'commands' && event.person === person) void check();
  });
  return () => {
    checks += 1;
    stop();
  };
}
