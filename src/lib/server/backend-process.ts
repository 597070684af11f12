import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { logEnvironment } from '../../../supabase/log/log.ts';
import { log } from '../log/log.ts';
import { SERVER } from '../text/commands.ts';
import type { BackendChoice } from './settings.ts';
import { BACKEND_FLAGS, THRIFTY_ENVIRONMENT } from './thrift.ts';

const MAIN = `${import.meta.dirname}/../../../supabase/embedded/main.ts`;

/** A backend that dies again and again is asked less and less often. */
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export type BackendAddress = { url: string; publishableKey: string; secretKey: string };

export type BackendProcess = BackendAddress & {
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
};

/** The backend ended before it was ready. It has said why on stderr, in one sentence. */
export class BackendFailed extends Error {
  override name = 'BackendFailed';
}

type Embedded = Extract<BackendChoice, { kind: 'embedded' }>;

/** What the launcher has to say, beside the person's own settings. */
export type Launch = {
  siteUrl?: string;
  /** Keep mails on this machine where no mail server is set: for a demo and for development, never for readers. */
  mailbox?: boolean;
  /** Make backups by itself: on a schedule, and before an upgrade. Where the data is thrown away, nobody wants them. */
  backups?: boolean;
};

type Start = Launch & { port: number };

/**
 * Runs the embedded backend in a process of its own and keeps it running: when it dies, it is started again at
 * the same address. Should we die, it stops by itself.
 * @throws BackendFailed when it does not start the first time
 */
export async function startBackendProcess(choice: Embedded, launch: Launch = {}): Promise<BackendProcess> {
  const first = await start(choice, { port: 0, ...launch });
  const port = Number(new URL(first.address.url).port);
  const end = new AbortController();
  let running: ChildProcess | undefined = first.child;
  const kept = keep();

  async function keep(): Promise<void> {
    let pause = SHORTEST_PAUSE_MS;
    while (!end.signal.aborted) {
      if (running) {
        const started = Date.now();
        await exit(running);
        running = undefined;
        if (Date.now() - started > LONGEST_PAUSE_MS) pause = SHORTEST_PAUSE_MS;
      }
      if (end.signal.aborted) return;
      log.error(SERVER.backendRestart(pause / 1000));
      await wait(pause, undefined, { signal: end.signal }).catch(() => undefined);
      if (end.signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      running = await start(choice, { port, ...launch }).then(
        ({ child }) => child,
        () => undefined,
      );
      if (end.signal.aborted) running?.kill('SIGTERM');
    }
  }

  return {
    ...first.address,
    async stop() {
      end.abort();
      running?.kill('SIGTERM');
      await kept;
      if (running) await exit(running);
    },
  };
}

async function start(choice: Embedded, { port, siteUrl, mailbox, backups }: Start) {
  const child = fork(MAIN, {
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
  const message = await Promise.race([
    once(child, 'message').then(([said]) => said as { type: string } & BackendAddress),
    exit(child).then(() => undefined),
  ]);
  if (message?.type !== 'ready') {
    await exit(child);
    throw new BackendFailed();
  }
  const { url, publishableKey, secretKey } = message;
  return { child, address: { url, publishableKey, secretKey } };
}

function backupEnvironment({ backups: { folder, at, keep } }: Embedded) {
  return {
    STOPPRESS_BACKUPS: folder,
    ...(at && { STOPPRESS_BACKUP_AT: at }),
    ...(keep && { STOPPRESS_BACKUP_KEEP: keep }),
  };
}

async function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
