import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Developed, Undeveloped } from './develop.server.ts';

const PROGRAM = resolve(import.meta.dirname, 'develop-program.ts');

/** By the clock. How much it computes, the process watches itself: readers go before it. */
const LONGEST_MS = 180_000;

/**
 * Makes the prints of the photo in a file, in a process that lives for it alone.
 * @param folder where the prints are put
 * @param longest milliseconds
 * @returns null when that process broke or took too long
 */
export async function developApart(
  file: string,
  folder: string,
  longest = LONGEST_MS,
): Promise<Developed | Undeveloped | null> {
  const { PATH, TMPDIR } = process.env;
  const child = fork(PROGRAM, [file, folder], {
    // Keys and addresses stand in ours.
    env: { PATH, TMPDIR },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal: AbortSignal.timeout(longest),
    killSignal: 'SIGKILL',
  });
  let result: Developed | Undeveloped | null = null;
  child.once('message', (message) => {
    result = message as Developed | Undeveloped;
  });
  // An abort is told as an error, before the end.
  child.on('error', () => {});
  await once(child, 'close').catch(() => once(child, 'close'));
  return result;
}
