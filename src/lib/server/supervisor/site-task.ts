import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { SITE_FLAGS, THRIFTY_ENVIRONMENT } from '../memory-flags.ts';
import type { Environment } from '../settings.ts';
import { BEGIN, type Begin, FOUND, type Found } from './site-messages.ts';

const MAIN = resolve(import.meta.dirname, '../site-process.ts');

type Start = Begin & {
  environment: Environment;
  /** Descriptor of the held port. */
  fd: number;
  found: Promise<Found>;
};

/** Forks a site process. Messages that it misses because it has ended do not matter: its exit is handled. */
export function forkSite({ environment, fd, url, behind, found }: Start): ChildProcess {
  const child = fork(MAIN, {
    execArgv: [...SITE_FLAGS],
    env: { ...THRIFTY_ENVIRONMENT, ...environment },
    // Descriptor 4 (PORT_FD) is the held port.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', fd],
    // Ctrl-C signals the whole process group, but the supervisor decides the order of the exits.
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
