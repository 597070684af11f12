import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Supervised = {
  hasEnded(): boolean;
  /** Ends the program and its children, and waits for it. */
  stop(): Promise<void>;
};

/** Ends the whole process group when its input ends, also when the tests were killed. */
const SUPERVISOR = `trap : TERM
"$@" </dev/null &
read -r word
kill -TERM 0
wait`;

/** Starts a program that ends together with the tests. */
export function startSupervised(program: string, args: string[], options: SpawnOptions = {}): Supervised {
  const child = spawn('sh', ['-c', SUPERVISOR, 'supervisor', program, ...args], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    hasEnded,
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}
