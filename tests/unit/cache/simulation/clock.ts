import { vi } from 'vitest';

/** Replaces the clock by a fake one that starts at zero. Promises take no time on it. */
export function newClock(): void {
  vi.useRealTimers();
  vi.useFakeTimers({
    now: 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Advances the clock timer by timer, with everything that each timer causes. */
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
