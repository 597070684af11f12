import { log } from '../data/log.ts';
import { offerSetup } from '../data/setup.server.ts';
import { RETENTION } from '../domain/retention.ts';
import { SERVER } from '../i18n/cli.ts';
import { refusalOrThrow } from '../i18n/refusals.ts';
import {
  type BackendEndpoint,
  type Embedded,
  type Launch,
  mailMessage,
  startBackendProcess,
} from './backend-process.ts';
import { type BackendProxy, createBackendProxy } from './proxy.ts';
import type { BackendChoice, BackupChoice, Environment } from './settings.ts';

export type ConnectedBackend = BackendEndpoint & {
  /** Proxy for browser calls; absent when browsers reach the backend directly. */
  proxy: BackendProxy | undefined;
  /** A sentence that says where mails are delivered; absent when it is configured elsewhere. */
  mails?: string;
  /** Number of scheduled backups that are retained; absent when none are made. */
  backups?: number;
  stop(): Promise<void>;
};

/** Starts the chosen backend, or connects to the hosted one. */
export async function openBackend(
  choice: BackendChoice,
  launch: Launch & { siteUrl: string },
): Promise<ConnectedBackend> {
  if (choice.kind === 'hosted') {
    return connectBackend(choice, undefined);
  }
  const started = await startBackendProcess(choice, launch);
  return { ...describeBackend(choice, started, launch), stop: started.stop };
}

/** Connects to a backend that another process runs. @param address of an embedded backend */
export function connectBackend(
  choice: BackendChoice,
  address: BackendEndpoint | undefined,
): ConnectedBackend {
  const stop = async () => {};
  if (choice.kind === 'hosted') return { ...choice, proxy: undefined, stop };
  if (!address) throw new Error('There is no backend of our own, and no project is named.');
  return { ...describeBackend(choice, address, { backups: true }), stop };
}

function describeBackend(
  choice: Embedded,
  address: BackendEndpoint,
  launch: Launch,
): Omit<ConnectedBackend, 'stop'> {
  const backups = launch.backups ? backupsOf(choice.backups) : undefined;
  return {
    ...address,
    proxy: createBackendProxy(address.url, { headers: address.headers }),
    mails: mailMessage(choice, address, launch),
    backups,
  };
}

function backupsOf({ at, keep }: BackupChoice): number | undefined {
  return at === 'off' ? undefined : Number(keep ?? RETENTION.backups);
}

/**
 * Sets the environment variables from which the built pages read the site's and the backend's addresses and keys. Only
 * src/lib/data/admin-client.server.ts reads the secret key.
 */
export function setPageEnvironment(
  environment: Environment,
  backend: ConnectedBackend,
  { siteUrl, readerSockets }: { siteUrl: string; readerSockets: number },
): void {
  environment.SITE_URL = siteUrl;
  environment.STOPPRESS_READER_SOCKETS = String(readerSockets);
  environment.PUBLIC_SUPABASE_URL = backend.proxy ? '/' : backend.url;
  environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  if (backend.proxy) environment.STOPPRESS_BACKEND_URL = backend.url;
  if (backend.headers) environment.STOPPRESS_BACKEND_HEADERS = JSON.stringify(backend.headers);
  if (backend.backups) environment.STOPPRESS_BACKUPS_KEPT = String(backend.backups);
  environment.SUPABASE_SECRET_KEY = backend.secretKey;
}

/**
 * Logs the address and the code for creating the first owner, while there is none. A failing backend does not stop the
 * start, because readers can still be served.
 */
export async function announceSetup(siteUrl: string): Promise<void> {
  try {
    const code = await offerSetup();
    if (code) log.info(SERVER.setup(`${siteUrl}/setup`, code));
  } catch (error) {
    refusalOrThrow(error);
    log.warn(SERVER.setupUnknown);
  }
}
