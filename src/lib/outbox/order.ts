import type { Base, Press } from './kept.ts';

/** Before the first try again, and the longest pause. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * How long to wait after so many tries in vain.
 * @param jitter 0 to 1: devices that lost their line together do not all come back together
 */
export function pauseAfter(tries: number, jitter = Math.random()): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10)) * (0.5 + jitter / 2);
}

/** In the order in which they were pressed. */
export const inOrder = (presses: Press[]): Press[] => presses.toSorted((a, b) => a.nr - b.nr);

/** What is sent next: what was refused or taken back holds back later presses of its own subject only. */
export function nextOf(presses: Press[]): Press | undefined {
  const held = new Set<string>();
  for (const press of inOrder(presses)) {
    if (press.state === 'refused' || press.state === 'held') held.add(press.subject);
    if (press.state === 'waiting' && !held.has(press.subject)) return press;
  }
  return undefined;
}

/**
 * The press of the same draft that has not been tried yet and need not be any more, because these words replace it.
 * @param presses of one subject
 */
export function replaced(presses: Press[], base: Base): Press | undefined {
  const last = presses.find(({ id }) => id === base.press);
  return last?.kind === 'auto' && last.state === 'waiting' && last.attempts === 0 ? last : undefined;
}

/** The last press of a subject that is not answered yet. */
export function lastOf(
  presses: Press[],
  { person, subject }: Pick<Press, 'person' | 'subject'>,
): Press | undefined {
  const own = presses.filter((press) => press.person === person && press.subject === subject);
  return inOrder(own.filter(({ state }) => state !== 'done')).at(-1);
}
