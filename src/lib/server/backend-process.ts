import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { type BackendOptions, forkEmbeddedSupabase } from 'embedded-supabase';
import program from '../../../package.json' with { type: 'json' };
import { log, logOptions } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { BACKEND_FLAGS, MEMORY_ENVIRONMENT } from './memory-flags.ts';
import type { BackendChoice } from './settings.ts';
import {
  type ChildOptions,
  type ProcessMessage,
  ProcessNotReady,
  type SupervisedProcess,
  superviseProcess,
} from './supervisor/supervised-process.ts';

/** The project whose `supabase` folder the backend serves. */
const PROJECT = resolve(import.meta.dirname, '../../..');

/** How long the backend may take to stop: it finishes its requests and writes its data. In milliseconds. */
export const BACKEND_STOP_MS = 30_000;

export type BackendEndpoint = {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Request headers that identify this server. The backend limits all other clients. */
  headers?: Record<string, string>;
};

type BackendProcess = BackendEndpoint & {
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

type Ready = ProcessMessage & BackendEndpoint;

/**
 * Runs the embedded backend in its own process. When it dies, it is restarted at the same address. It stops when this
 * process dies.
 * @throws BackendFailed when it does not start the first time
 */
export async function startBackendProcess(choice: Embedded, launch: Launch = {}): Promise<BackendProcess> {
  const { supervised, address } = await superviseBackend({ choice: () => choice, launch, log: log.warn });
  return { ...address, stop: () => supervised.stop(BACKEND_STOP_MS) };
}

type SupervisionOptions = Pick<ChildOptions, 'log' | 'delays' | 'heartbeatTimeoutMs' | 'signal'> & {
  /** Read for each start. */
  choice(): Embedded;
  launch: Launch;
};

/** Like `startBackendProcess`, with the supervised process itself. @throws BackendFailed */
export async function superviseBackend({
  choice,
  launch,
  ...task
}: SupervisionOptions): Promise<{ supervised: SupervisedProcess<Ready>; address: BackendEndpoint }> {
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

const forkBackend = (choice: Embedded, { port, siteUrl, mailbox, backups }: Start): ChildProcess =>
  forkEmbeddedSupabase(
    { ...backendOptions(choice), backups: backups ? choice.backups : undefined, port, siteUrl, mailbox },
    { execArgv: BACKEND_FLAGS, environment: MEMORY_ENVIRONMENT },
  );

/** The options of the embedded backend that the settings of the website mean. */
export function backendOptions(choice: Omit<Embedded, 'kind' | 'backups'>): BackendOptions {
  return {
    ...choice,
    project: PROJECT,
    backupPrefix: 'stoppress',
    program: program.version,
    log: logOptions(),
    terms: TERMS,
  };
}

/** Names of settings and commands in error messages of the backend, as owners know them. */
const TERMS = {
  EMBEDDED_SUPABASE_DATA: 'STOPPRESS_DATA',
  EMBEDDED_SUPABASE_PORT: 'STOPPRESS_BACKEND_PORT',
  EMBEDDED_SUPABASE_BACKUPS: 'STOPPRESS_BACKUPS',
  EMBEDDED_SUPABASE_BACKUP_AT: 'STOPPRESS_BACKUP_AT',
  EMBEDDED_SUPABASE_BACKUP_KEEP: 'STOPPRESS_BACKUP_KEEP',
  'embedded-supabase backup': 'npm run backup',
  'embedded-supabase restore': 'npm run restore',
  'embedded-supabase restore FILE': 'npm run restore -- FILE',
  'embedded-supabase move': 'npm run move',
};

/** Where the embedded backend delivers mail, as a sentence for the console. */
export function mailMessage(
  { smtpUrl }: { smtpUrl: string | undefined },
  { url }: BackendEndpoint,
  { mailbox }: Launch,
) {
  if (smtpUrl) return undefined;
  return mailbox ? SERVER.mailbox(`${url}/mailbox`) : SERVER.noMail;
}
