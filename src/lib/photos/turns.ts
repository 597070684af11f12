import { Mutex, Semaphore } from 'async-mutex';

/** Whose photo it is. Of a held tip: of one of very many that came from one place. */
export type Sender = 'newsroom' | 'tip' | 'held_tip';

/** Each has a process that may take a GB of memory and all of a core. */
const AT_ONCE = 2;

/**
 * The turns at the darkroom. One is the newsroom's alone and the other takes it first, because anybody can send tips;
 * those that are held come when no others wait.
 * @returns runs work at its turn
 */
export function openTurns(): (sender: Sender, work: () => Promise<void>) => Promise<void> {
  const turns = new Semaphore(AT_ONCE);
  const tipTurn = new Mutex();
  return (sender, work) =>
    sender === 'newsroom'
      ? turns.runExclusive(work, 1, 1)
      : tipTurn.runExclusive(() => turns.runExclusive(work), sender === 'tip' ? 1 : 0);
}
