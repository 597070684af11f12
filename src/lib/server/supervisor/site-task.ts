import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { MEMORY_ENVIRONMENT, SITE_FLAGS } from '../memory-flags.ts';
import type { Environment } from '../settings.ts';
import { BACKEND_READY, type BackendReady, START, type Start } from './site-messages.ts';

const MAIN = resolve(import.meta.dirname, '../site-process.ts');

type SiteProcessOptions = Start & {
  environment: Environment;
  /** Descriptor of the held port. */
  fd: number;
  backendReady: Promise<BackendReady>;
};

/** Forks a site process. Messages that it misses because it has ended do not matter: its exit is handled. */
export function forkSite({ environment, fd, url, behind, backendReady }: SiteProcessOptions): ChildProcess {
  const child = fork(MAIN, {
    execArgv: [...SITE_FLAGS],
    env: { ...MEMORY_ENVIRONMENT, ...environment },
    // Descriptor 4 (PORT_FD) is the held port.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', fd],
    // Ctrl-C signals the whole process group, but the supervisor decides the order of the exits.
    detached: true,
  });
  const send = (message: object) => void (child.connected && child.send(message, () => {}));
  send({ type: START, url, behind });
  void backendReady.then(
    (message) => send({ type: BACKEND_READY, ...message }),
    () => {},
  );
  return child;
}
