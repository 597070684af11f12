import { readFileSync } from 'node:fs';

/** Ends processes as a failing machine would, without a word. Those that are gone already are as good. */
export function killAll(pids: Iterable<number>): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether there is such a process that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** The processes that this one has started. */
export function childrenOf(parent: number): number[] {
  const threads = `/proc/${parent}/task/${parent}/children`;
  return readFileSync(threads, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}
