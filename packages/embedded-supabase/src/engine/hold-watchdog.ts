import type { Work } from './work.ts';

/** A transaction, or a single statement, that has the database to itself. */
export type Hold = {
  readonly work: Work;
  /** Milliseconds that the database was busy with it. Time in which the whole process stood still is not counted. */
  busyMs: number;
  /** Processor time of the database, in ms, less what the hold had used when it was read. */
  processorBase?: number;
  /** The database was restarted because of it. */
  hasEndedDatabase: boolean;
};

/** Most milliseconds that a piece of work which says nothing else may keep the database busy. */
export const MAX_HOLD_MS = 5_000;

const TICK_MS = 100;

/** A hold that is over sooner costs no reading of processor time. */
const MEASURED_FROM_MS = 500;

/** On a machine with too much to do a hold may take this many times as long by the clock as it may compute. */
const CLOCK_FACTOR = 2;

/** A disk that stalls keeps the database busy as well, and a restart would not help: it gets this many times as long. */
const DISK_FACTOR = 6;

type HoldWatchdog = {
  begin(hold: Hold): void;
  end(): void;
};

/**
 * Watches how long each hold keeps the database busy. The limit is processor time: a statement that is slow because the
 * machine is busy or its disk stalls is not to blame.
 * @param processorMs processor time of the database in ms; undefined while it waits for the disk
 * @param onExceeded runs once for a hold that takes longer than it may
 */
export function openHoldWatchdog(
  processorMs: () => Promise<number | undefined>,
  onExceeded: (hold: Hold) => void,
): HoldWatchdog {
  let current: { hold: Hold; countedAt: number; isChecked: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function count(): void {
    if (!current) return;
    const now = performance.now();
    // A machine that slept, or a process that was stopped, kept everything waiting, and not this hold.
    current.hold.busyMs += Math.min(now - current.countedAt, 3 * TICK_MS);
    current.countedAt = now;
  }

  async function tick(): Promise<void> {
    if (!current) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    count();
    const checked = current;
    const { hold } = checked;
    if (hold.busyMs < MEASURED_FROM_MS || checked.isChecked) return;
    checked.isChecked = true;
    const isExceeded = await check(hold);
    checked.isChecked = false;
    if (isExceeded && current === checked && !hold.hasEndedDatabase) onExceeded(hold);
  }

  async function check(hold: Hold): Promise<boolean> {
    const maxMs = hold.work.maxHoldMs ?? MAX_HOLD_MS;
    if (hold.processorBase !== undefined && hold.busyMs < maxMs) return false;
    const total = await processorMs();
    if (hold.processorBase === undefined) {
      // The first reading takes it that the hold has computed all the time.
      if (total !== undefined) hold.processorBase = total - hold.busyMs;
      return hold.busyMs > maxMs * DISK_FACTOR;
    }
    const used = total === undefined ? 0 : total - hold.processorBase;
    return (
      used > maxMs ||
      (used > hold.busyMs / 20 && hold.busyMs > maxMs * CLOCK_FACTOR) ||
      hold.busyMs > maxMs * DISK_FACTOR
    );
  }

  return {
    begin(hold) {
      current = { hold, countedAt: performance.now(), isChecked: false };
      if (timer) return;
      timer = setInterval(() => void tick(), TICK_MS);
      timer.unref();
    },
    end() {
      count();
      current = undefined;
    },
  };
}
