import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { BackendFailed } from './backend-process.ts';
import { NotBuilt, NotWarm } from './build/build-id.ts';
import { PortTaken } from './listening.ts';
import { SettingsError } from './settings.ts';

const EXPECTED = [SettingsError, PortTaken, NotBuilt, NotWarm];

/** What to tell the owner of a failed start: a sentence for what they can mend, the whole error for what is ours. */
export function failure(error: unknown): unknown {
  // The backend has said why itself.
  if (error instanceof BackendFailed) return SERVER.notStarted;
  return EXPECTED.some((kind) => error instanceof kind) ? (error as Error).message : error;
}

/** The same on the log: a line for each mistake. */
export function logFailure(error: unknown): void {
  const told = failure(error);
  if (typeof told === 'string') for (const sentence of told.split('\n')) log.error(sentence);
  else log.error(SERVER.notStarted, { error });
}
