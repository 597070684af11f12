import { vi } from 'vitest';

/**
 * Puts a clock of ours in the place of the machine's, at zero and with nothing to come: what only promises wait for
 * takes no time on it.
 */
export function newClock(): void {
  vi.useRealTimers();
  vi.useFakeTimers({
    now: 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Lets so many milliseconds pass: one timer after the other, each with all that follows from it. */
export async function pass(ms: number): Promise<void> {
  let over = false;
  setTimeout(() => {
    over = true;
  }, ms);
  while (!over) {
    await new Promise(setImmediate);
    vi.advanceTimersToNextTimer();
  }
}
