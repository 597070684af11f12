import { type ChildProcess, fork } from 'node:child_process';
import { logEnvironment } from '../../../packages/embedded-supabase/src/log/log.ts';
import { log } from '../data/log.ts';
import { BACKEND_FLAGS, THRIFTY_ENVIRONMENT } from './memory-flags.ts';
import type { BackendChoice } from './settings.ts';
import { type Message, NotUp } from './supervisor/child.ts';
import { type Kept, keepRunning, type Task } from './supervisor/supervised-child.ts';

const MAIN = `${import.meta.dirname}/../../../packages/embedded-supabase/src/main.ts`;

/** How long its end may take: what is under way is finished, and everything written. */
export const LONGEST_END_MS = 30_000;

export type BackendAddress = {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Request headers that prove to it that a request comes through this server: it has limits for all others. */
  headers?: Record<string, string>;
};

export type BackendProcess = BackendAddress & {
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
};

/** The backend ended before it was ready. It has said why on stderr, in one sentence. */
export class BackendFailed extends Error {
  override name = 'BackendFailed';
}

export type Embedded = Extract<BackendChoice, { kind: 'embedded' }>;

/** What the launcher has to say, beside the person's own settings. */
export type Launch = {
  siteUrl?: string;
  /** Keep mails on this machine where no mail server is set: for a demo and for development, never for readers. */
  mailbox?: boolean;
  /** Make backups by itself: on a schedule, and before an upgrade. Where the data is thrown away, nobody wants them. */
  backups?: boolean;
};

type Start = Launch & { port: number };

type Ready = Message & BackendAddress;

/**
 * Runs the embedded backend in a process of its own and keeps it running: when it dies, it is started again at
 * the same address. Should we die, it stops by itself.
 * @throws BackendFailed when it does not start the first time
 */
export async function startBackendProcess(choice: Embedded, launch: Launch = {}): Promise<BackendProcess> {
  const { kept, address } = await keepBackend({ choice: () => choice, launch, say: log.warn });
  return { ...address, stop: () => kept.stop(LONGEST_END_MS) };
}

export type Keeping = Pick<Task, 'say' | 'pauses' | 'silence' | 'signal'> & {
  /** What it is to be started with, each time. */
  choice(): Embedded;
  launch: Launch;
};

/** The same for who looks after it: where it is, and what holds it. @throws BackendFailed */
export async function keepBackend({
  choice,
  launch,
  ...task
}: Keeping): Promise<{ kept: Kept<Ready>; address: BackendAddress }> {
  // Which port it has been given is known once it is there; it keeps that one.
  let port = 0;
  try {
    const kept = await keepRunning<Ready>({
      ...task,
      name: 'backend',
      fork: () => forkBackend(choice(), { port, ...launch }),
    });
    const { url, publishableKey, secretKey, headers } = kept.first;
    port = Number(new URL(url).port);
    return { kept, address: { url, publishableKey, secretKey, headers } };
  } catch (error) {
    if (error instanceof NotUp) throw new BackendFailed();
    throw error;
  }
}

function forkBackend(choice: Embedded, { port, siteUrl, mailbox, backups }: Start): ChildProcess {
  return fork(MAIN, {
    execArgv: [...BACKEND_FLAGS],
    // What it needs and nothing else of our environment.
    env: {
      ...THRIFTY_ENVIRONMENT,
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
    // Ctrl-C reaches a whole group of processes; the backend must outlive the requests that we still answer.
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
