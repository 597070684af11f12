import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { BackendFailed } from './backend-process.ts';
import { NotBuilt, NotReady } from './build/build-id.ts';
import { PortInUse } from './listening.ts';
import { SettingsError } from './settings.ts';

/**
 * Loads `.env` of the working folder, if it exists. Variables that are already set win.
 * @param except variables that are ignored in `.env`
 */
export function loadEnvironment(except: string[] = []): void {
  const before = new Set(Object.keys(process.env));
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  for (const name of except) if (!before.has(name)) delete process.env[name];
}

const EXPECTED = [SettingsError, PortInUse, NotBuilt, NotReady];

/** What the owner reads when the start fails: a sentence for expected errors, otherwise the whole error. */
export function failure(error: unknown): unknown {
  // The backend has already printed the reason.
  if (error instanceof BackendFailed) return SERVER.notStarted;
  return EXPECTED.some((kind) => error instanceof kind) ? (error as Error).message : error;
}

/** Logs a failed start, with one line for each mistake. */
export function logFailure(error: unknown): void {
  const reason = failure(error);
  if (typeof reason === 'string') for (const sentence of reason.split('\n')) log.error(sentence);
  else log.error(SERVER.notStarted, { error });
}

/** Interval at which a program started by npm checks whether its shell still runs. In milliseconds. */
const CHECK_MS = 500;

/**
 * Calls `stop` once when the process must end (SIGINT, SIGTERM, or the parent process is gone). Then exits with
 * 0, or with 1 if stopping failed.
 */
export function onStop(stop: () => Promise<void>): void {
  let stopping = false;
  const end = async () => {
    if (stopping) return;
    stopping = true;
    await exitAfter(stop);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('disconnect', end);
  // npm sends a signal only to the shell of the script, which ends without forwarding it.
  if (process.env.npm_lifecycle_event) whenOrphaned(end);
}

/** Exits with 0 after `stop`, or with 1 if that failed. */
export async function exitAfter(stop: () => Promise<void>): Promise<void> {
  try {
    await stop();
    process.exit(0);
  } catch (error) {
    log.error(SERVER.notStopped, { error });
    process.exit(1);
  }
}

function whenOrphaned(onOrphaned: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) onOrphaned();
  }, CHECK_MS).unref();
}
