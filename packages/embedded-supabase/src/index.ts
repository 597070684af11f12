import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { MoveReport, MoveTarget } from './move/move.ts';
import { type BackendOptions, environmentOf } from './options.ts';

/*
 * The public entry point. The backend and the programs that work on its data run in their own processes, so this module
 * loads neither PGlite nor the services.
 */

export {
  isRequestId,
  LOG_LEVELS,
  type Log,
  logLineCounts,
  newRequestId,
  openLog,
  REQUEST_ID_HEADER,
  requestId,
  requestIdHeader,
  runWithRequestId,
} from './log/log.ts';
export type { MoveReport, MoveTarget } from './move/move.ts';
export type { BackendOptions, LogOptions } from './options.ts';

/** Options for a process of the backend. */
export type ProcessOptions = {
  /** Flags of Node. Default: none. */
  execArgv?: readonly string[];
  /** Environment variables besides those of the backend's options. The process inherits no others. */
  environment?: Record<string, string>;
  /** Default: `inherit`. */
  stderr?: 'inherit' | 'ignore';
};

export type BackendAddress = {
  /** API URL for `createClient`. */
  url: string;
  publishableKey: string;
  /** Passes every policy. Never send it to a browser. */
  secretKey: string;
  /** Request headers that exempt a proxy from the rate limits of clients. With them it may send `X-Forwarded-For`. */
  headers: Record<string, string>;
};

export type RunningBackend = BackendAddress & {
  /** Finishes open requests, writes everything to disk and ends the process. */
  stop(): Promise<void>;
};

/** The process ended before it was ready. It has written the reason to stderr. */
export class StartFailed extends Error {
  override name = 'StartFailed';
}

/** A backup, restore or move ended without doing its work. It has written the reason to stderr. */
export class ProgramFailed extends Error {
  override name = 'ProgramFailed';
}

/**
 * Starts a backend and waits until it answers. It stops when this process ends.
 * @throws StartFailed
 */
export async function startEmbeddedSupabase(
  options: BackendOptions,
  processOptions?: ProcessOptions,
): Promise<RunningBackend> {
  const child = forkEmbeddedSupabase(options, processOptions);
  const exited = once(child, 'exit');
  const message = await firstMessage<BackendAddress & { type: string; message?: string }>(child, exited);
  if (message?.type !== 'ready') {
    await exited;
    throw new StartFailed(message?.message);
  }
  const { url, publishableKey, secretKey, headers } = message;
  return {
    url,
    publishableKey,
    secretKey,
    headers,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Starts the process of a backend, for a caller that supervises it. Its messages: `{ type: 'ready' }` with a
 * BackendAddress, or `{ type: 'failed', message }`; then `{ type: 'beat' }` every 2 s while its event loop runs.
 * SIGTERM stops it.
 */
export function forkEmbeddedSupabase(options: BackendOptions, processOptions?: ProcessOptions): ChildProcess {
  return forkProgram('main', [], environmentOf(options), processOptions);
}

/** Checks options without starting or writing anything. @returns one sentence for each mistake */
export async function checkOptions(
  options: BackendOptions,
  processOptions?: ProcessOptions,
): Promise<string[]> {
  const child = forkProgram('check-settings', [], environmentOf(options), {
    ...processOptions,
    stderr: 'ignore',
  });
  const exited = once(child, 'exit');
  const message = await firstMessage<{ mistakes: string[] }>(child, exited);
  await exited;
  return message?.mistakes ?? ['The settings of the backend could not be checked.'];
}

export type DataReport = {
  /** Path of the archive. */
  path: string;
  rows: number;
  files: number;
  bytes: number;
  seconds: number;
  /** Folders and databases with the data that a restore replaced. */
  replacedData: string[];
};

/**
 * Writes a backup, whether a backend is running or not.
 * @param to a new file, or a folder
 * @throws ProgramFailed
 */
export const backUpData = (options: BackendOptions, to: string): Promise<DataReport> =>
  runProgram(['backup', to], environmentOf(options));

/**
 * Restores a backup.
 * @param overwrite whether the backup may replace existing data, which is kept aside
 * @throws ProgramFailed
 */
export const restoreData = (
  options: BackendOptions,
  archive: string,
  { overwrite = false } = {},
): Promise<DataReport> =>
  runProgram(['restore', archive, ...(overwrite ? ['overwrite'] : [])], environmentOf(options));

/** Moves the data to an empty project. @param backups folder for the last backup @throws ProgramFailed */
export const moveData = (
  options: BackendOptions,
  { url, secretKey, databaseUrl }: MoveTarget,
  backups: string,
): Promise<MoveReport> =>
  runProgram(['move', url, backups], {
    ...environmentOf(options),
    MOVE_SECRET_KEY: secretKey,
    MOVE_DATABASE_URL: databaseUrl,
  });

async function runProgram<Report>(args: string[], environment: Record<string, string>): Promise<Report> {
  const child = forkProgram('data-program', args, environment);
  const exited = once(child, 'exit');
  const report = await firstMessage<Report>(child, exited);
  await exited;
  if (!report) throw new ProgramFailed();
  return report;
}

/** Waits for the first message of a process. @returns undefined if the process ends without a message */
const firstMessage = <Message>(child: ChildProcess, exited: Promise<unknown>): Promise<Message | undefined> =>
  Promise.race([
    once(child, 'message').then(([message]) => message as Message),
    exited.then(() => undefined),
  ]);

function forkProgram(
  name: string,
  args: string[],
  environment: Record<string, string>,
  { execArgv = [], environment: extraVariables = {}, stderr = 'inherit' }: ProcessOptions = {},
): ChildProcess {
  return fork(join(import.meta.dirname, `${name}.ts`), args, {
    execArgv: [...execArgv],
    env: { ...extraVariables, ...environment },
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
    // Ctrl-C goes to the whole process group; the backend must outlive the requests that its parent still answers.
    detached: name === 'main',
  });
}
