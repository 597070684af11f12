import { RETENTION } from '../domain/retention.ts';
import { type BackendAddress, type Embedded, type Launch, startBackendProcess } from './backend-process.ts';
import { type PassOn, passOn } from './proxy.ts';
import type { BackendChoice, BackupChoice, Environment } from './settings.ts';
import { mailsOf } from './startup-messages.ts';

export type Backend = BackendAddress & {
  /** Hands browsers' calls on to it; absent where they reach it by themselves. */
  passOn: PassOn | undefined;
  /** What becomes of its mails, for the person at the keyboard; absent where somebody else knows. */
  mails?: string;
  /** How many backups it keeps of those that it makes by itself; absent where it makes none. */
  backups?: number;
  stop(): Promise<void>;
};

/** The chosen backend, running. */
export async function openBackend(
  choice: BackendChoice,
  launch: Launch & { siteUrl: string },
): Promise<Backend> {
  if (choice.kind === 'hosted') {
    return joinBackend(choice, undefined);
  }
  const started = await startBackendProcess(choice, launch);
  return { ...described(choice, started, launch), stop: started.stop };
}

/** The chosen backend, where somebody else keeps it running. @param address where that is, unless a project has it */
export function joinBackend(choice: BackendChoice, address: BackendAddress | undefined): Backend {
  const stop = async () => {};
  if (choice.kind === 'hosted') return { ...choice, passOn: undefined, stop };
  if (!address) throw new Error('There is no backend of our own, and no project is named.');
  return { ...described(choice, address, { backups: true }), stop };
}

function described(choice: Embedded, address: BackendAddress, launch: Launch): Omit<Backend, 'stop'> {
  const backups = launch.backups ? backupsOf(choice.backups) : undefined;
  return {
    ...address,
    passOn: passOn(address.url, { headers: address.headers }),
    mails: mailsOf(choice, address, launch),
    backups,
  };
}

function backupsOf({ at, keep }: BackupChoice): number | undefined {
  return at === 'off' ? undefined : Number(keep ?? RETENTION.backups);
}

/**
 * Tells the pages, by the environment that they read at run time, what they need to know of site and backend. Of the
 * secret key there is one reader: src/lib/data/admin-client.server.ts.
 */
export function tellPages(
  environment: Environment,
  backend: Backend,
  { siteUrl, readerSockets }: { siteUrl: string; readerSockets: number },
): void {
  environment.SITE_URL = siteUrl;
  environment.STOPPRESS_READER_SOCKETS = String(readerSockets);
  environment.PUBLIC_SUPABASE_URL = backend.passOn ? '/' : backend.url;
  environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  if (backend.passOn) environment.STOPPRESS_BACKEND_URL = backend.url;
  if (backend.headers) environment.STOPPRESS_BACKEND_HEADERS = JSON.stringify(backend.headers);
  if (backend.backups) environment.STOPPRESS_BACKUPS_KEPT = String(backend.backups);
  environment.SUPABASE_SECRET_KEY = backend.secretKey;
}
