import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { COMPILED } from './child.ts';

export type Outcome = {
  exitCode: number | null;
  /** What it said on stderr. */
  errors: string;
  /** What it told us when its work was done. */
  report: { path: string; rows: number; files: number; bytes: number; aside: string[] } | undefined;
};

/** Runs the product's backup or restore on the data that the environment names, to its end. */
export async function runDataProgram(
  name: 'backup' | 'restore',
  environment: Record<string, string>,
  ...args: string[]
): Promise<Outcome> {
  const child = fork(resolve(`packages/embedded-supabase/src/backup/${name}-program.ts`), args, {
    env: { ...COMPILED, ...environment },
    silent: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout?.resume();
  let report: Outcome['report'];
  child.on('message', (said: Outcome['report']) => {
    report = said;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, errors, report };
}
