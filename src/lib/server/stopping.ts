import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

/** How often a program that npm started looks whether its shell is still there. */
const LOOK_MS = 500;

/**
 * Runs `stop` once when this process is asked to end (Ctrl-C, SIGTERM, or whoever started us is gone), then ends it:
 * with 0, or with 1 when stopping failed.
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
  // npm hands a signal on to the shell that it runs a script in, and such a shell dies without handing it further.
  if (process.env.npm_lifecycle_event) whenOrphaned(end);
}

function whenOrphaned(tell: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) tell();
  }, LOOK_MS).unref();
}
