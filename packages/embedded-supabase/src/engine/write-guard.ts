import { log } from '../log/log.ts';
import type { DiskReserve } from './reserve.ts';

/** Milliseconds between two checks for free disk space. */
const CHECK_INTERVAL_MS = 1_000;

/** Refuses writes while the disk of the database is full. */
type WriteGuard = {
  isRefusingWrites(): boolean;
  refuseWrites(): void;
  /** Sets the state of the guard in a database that was just opened again. */
  apply(): Promise<void>;
  stop(): void;
};

/**
 * Creates a guard that makes the database read-only while the disk is full. The database then rejects every change with
 * 25006, also inside functions. Its own necessary writes use the space of the reserve. When there is space again,
 * requests can write again.
 * @param exec runs a statement in the session that all requests share
 */
export function openWriteGuard(exec: (statement: string) => Promise<void>, reserve: DiskReserve): WriteGuard {
  let isRefusing = false;
  let timer: NodeJS.Timeout | undefined;

  const apply = () =>
    exec(`set default_transaction_read_only = ${isRefusing ? 'on' : 'off'}`).catch((error: unknown) =>
      log.error('The database could not be made read-only, or writable again.', { error }),
    );

  function checkSpace(): void {
    if (!reserve.canRecreate() || !reserve.create()) return;
    clearInterval(timer);
    isRefusing = false;
    log.warn('There is space on the disk again. Writing continues.');
    void apply();
  }

  return {
    isRefusingWrites: () => isRefusing,
    refuseWrites() {
      if (isRefusing) return;
      isRefusing = true;
      log.error('The disk is full. Reading works, and writing continues when there is space.');
      void apply();
      timer = setInterval(checkSpace, CHECK_INTERVAL_MS);
      timer.unref();
    },
    apply,
    stop: () => clearInterval(timer),
  };
}
