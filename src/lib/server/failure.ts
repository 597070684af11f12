import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { BackendFailed } from './backend-process.ts';
import { NotBuilt, NotReady } from './build/build-id.ts';
import { PortInUse } from './listening.ts';
import { SettingsError } from './settings.ts';

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
