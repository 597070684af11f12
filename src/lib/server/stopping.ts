import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

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
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      log.error(SERVER.notStopped, { error });
      process.exit(1);
    }
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('disconnect', end);
  // npm sends a signal only to the shell of the script, which ends without forwarding it.
  if (process.env.npm_lifecycle_event) whenOrphaned(end);
}

function whenOrphaned(onOrphaned: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) onOrphaned();
  }, CHECK_MS).unref();
}
