import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { SITE_FLAGS, THRIFTY_ENVIRONMENT } from '../memory-flags.ts';
import type { Environment } from '../settings.ts';
import { BEGIN, type Begin, FOUND, type Found } from './site-messages.ts';

const MAIN = resolve(import.meta.dirname, '../site-process.ts');

type Start = Begin & {
  environment: Environment;
  /** The port that is held. */
  fd: number;
  found: Promise<Found>;
};

/** Starts a process of the site. What it is told and does not hear, because it has ended, is seen by its end. */
export function forkSite({ environment, fd, url, behind, found }: Start): ChildProcess {
  const child = fork(MAIN, {
    execArgv: [...SITE_FLAGS],
    env: { ...THRIFTY_ENVIRONMENT, ...environment },
    // The port is the fifth: PORT_FD.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', fd],
    // Ctrl-C reaches a whole group of processes: who ends when is ours to say.
    detached: true,
  });
  const tell = (message: object) => void (child.connected && child.send(message, () => {}));
  tell({ type: BEGIN, url, behind });
  void found.then(
    (said) => tell({ type: FOUND, ...said }),
    () => {},
  );
  return child;
}
