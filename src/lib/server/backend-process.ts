import { type ChildProcess, fork } from 'node:child_process';
import { logEnvironment } from '../../../packages/embedded-supabase/src/log/log.ts';
import { log } from '../data/log.ts';
import { BACKEND_FLAGS, MEMORY_ENVIRONMENT } from './memory-flags.ts';
import type { BackendChoice } from './settings.ts';
import { type Message, ProcessNotReady } from './supervisor/child.ts';
import {
  type ProcessOptions,
  type SupervisedProcess,
  superviseProcess,
} from './supervisor/supervised-child.ts';

const MAIN = `${import.meta.dirname}/../../../packages/embedded-supabase/src/main.ts`;

/** How long the backend may take to stop: it finishes its requests and writes its data. In milliseconds. */
export const BACKEND_STOP_MS = 30_000;

export type BackendAddress = {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Request headers that identify this server. The backend limits all other clients. */
  headers?: Record<string, string>;
};

export type BackendProcess = BackendAddress & {
  /** Asks the backend to stop, and waits until it has. */
  stop(): Promise<void>;
};

/** The backend ended before it was ready, after printing the reason to stderr. */
export class BackendFailed extends Error {
  override name = 'BackendFailed';
}

export type Embedded = Extract<BackendChoice, { kind: 'embedded' }>;

/** Options of the program that starts the backend, beside the owner's settings. */
export type Launch = {
  siteUrl?: string;
  /** Store mails in a mailbox on this machine when no mail server is set. For the demo and development only. */
  mailbox?: boolean;
  /** Make scheduled backups, and one before each upgrade. Not for temporary data. */
  backups?: boolean;
};

type Start = Launch & { port: number };

type Ready = Message & BackendAddress;

/**
 * Runs the embedded backend in its own process. When it dies, it is restarted at the same address. It stops when this
 * process dies.
 * @throws BackendFailed when it does not start the first time
 */
export async function startBackendProcess(choice: Embedded, launch: Launch = {}): Promise<BackendProcess> {
  const { supervised, address } = await superviseBackend({ choice: () => choice, launch, log: log.warn });
  return { ...address, stop: () => supervised.stop(BACKEND_STOP_MS) };
}

export type SupervisionOptions = Pick<ProcessOptions, 'log' | 'delays' | 'heartbeatTimeoutMs' | 'signal'> & {
  /** Read for each start. */
  choice(): Embedded;
  launch: Launch;
};

/** Like `startBackendProcess`, with the supervised process itself. @throws BackendFailed */
export async function superviseBackend({
  choice,
  launch,
  ...task
}: SupervisionOptions): Promise<{ supervised: SupervisedProcess<Ready>; address: BackendAddress }> {
  // The first start chooses a free port; later ones use the same.
  let port = 0;
  try {
    const supervised = await superviseProcess<Ready>({
      ...task,
      name: 'backend',
      fork: () => forkBackend(choice(), { port, ...launch }),
    });
    const { url, publishableKey, secretKey, headers } = supervised.first;
    port = Number(new URL(url).port);
    return { supervised, address: { url, publishableKey, secretKey, headers } };
  } catch (error) {
    if (error instanceof ProcessNotReady) throw new BackendFailed();
    throw error;
  }
}

function forkBackend(choice: Embedded, { port, siteUrl, mailbox, backups }: Start): ChildProcess {
  return fork(MAIN, {
    execArgv: [...BACKEND_FLAGS],
    // Only the variables that the backend needs.
    env: {
      ...MEMORY_ENVIRONMENT,
      ...logEnvironment(),
      STOPPRESS_DATA: choice.data,
      STOPPRESS_BACKEND_PORT: String(port),
      ...(choice.databaseUrl && { DATABASE_URL: choice.databaseUrl }),
      ...(siteUrl && { SITE_URL: siteUrl }),
      ...(choice.publishableKey && { PUBLIC_SUPABASE_PUBLISHABLE_KEY: choice.publishableKey }),
      ...(choice.secretKey && { SUPABASE_SECRET_KEY: choice.secretKey }),
      ...(choice.smtpUrl && { SMTP_URL: choice.smtpUrl }),
      ...(choice.mailFrom && { MAIL_FROM: choice.mailFrom }),
      ...(choice.certificates && { NODE_EXTRA_CA_CERTS: choice.certificates }),
      ...(mailbox && { STOPPRESS_MAILBOX: 'on' }),
      ...(backups && backupEnvironment(choice)),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl-C signals the whole process group, but the backend must outlive the last requests of the site.
    detached: true,
  });
}

function backupEnvironment({ backups: { folder, at, keep } }: Embedded) {
  return {
    STOPPRESS_BACKUPS: folder,
    ...(at && { STOPPRESS_BACKUP_AT: at }),
    ...(keep && { STOPPRESS_BACKUP_KEEP: keep }),
  };
}
