import { log } from '../log/log.ts';
import type { Reserve } from './reserve.ts';

/** Milliseconds between two checks for free disk space. */
const LOOK_MS = 1_000;

/** Refuses writes while the disk of the database is full. */
type WriteGuard = {
  isRefusing(): boolean;
  refuse(): void;
  /** Makes a database that was just opened refuse what the one before it refused. */
  apply(): Promise<void>;
  stop(): void;
};

/**
 * When the disk is full, requests can still read and none can write, until there is room again: the database refuses
 * every change (25006), also within functions, while the reserve still holds what it must write.
 * @param exec runs a statement in a session that all requests share
 */
export function openWriteGuard(exec: (statement: string) => Promise<void>, reserve: Reserve): WriteGuard {
  let isRefusing = false;
  let timer: NodeJS.Timeout | undefined;

  const apply = () =>
    exec(`set default_transaction_read_only = ${isRefusing ? 'on' : 'off'}`).catch((error: unknown) =>
      log.error('The database could not be made read-only, or writable again.', { error }),
    );

  function look(): void {
    if (!reserve.isRoomAgain() || !reserve.keep()) return;
    clearInterval(timer);
    isRefusing = false;
    log.warn('There is room on the disk again: writing goes on.');
    void apply();
  }

  return {
    isRefusing: () => isRefusing,
    refuse() {
      if (isRefusing) return;
      isRefusing = true;
      log.error('The disk is full. What there is can be read; nothing more is written until there is room.');
      void apply();
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    apply,
    stop: () => clearInterval(timer),
  };
}
