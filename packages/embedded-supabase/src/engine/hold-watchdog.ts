import type { WorkContext } from './work.ts';

/** A transaction, or a statement outside of one, that has the database to itself. */
export type Hold = {
  readonly work: WorkContext;
  /** How long the database was busy with it, in ms. Time in which the whole process was suspended is not counted. */
  busyMs: number;
  /** Processor time of the database when the hold began, in ms. It is estimated at the first reading. */
  startProcessorMs?: number;
  /** The database was restarted because of it. */
  causedRestart: boolean;
};

/** How long work without a limit of its own may keep the database busy, in ms. */
export const MAX_HOLD_MS = 5_000;

const TICK_MS = 100;

/** The watchdog reads the processor time only if a hold lasts at least this long, in ms. */
const MEASURED_FROM_MS = 500;

/** On an overloaded machine, a hold may take this multiple of its limit in elapsed time. */
const CLOCK_FACTOR = 2;

/**
 * While the disk stalls, a hold may take this multiple of its limit in elapsed time. The limit is generous because a
 * restart would not help.
 */
const DISK_FACTOR = 6;

type HoldWatchdog = {
  begin(hold: Hold): void;
  end(): void;
};

/**
 * Watches how long each hold keeps the database busy. The limit is on processor time, because a harmless statement can
 * be slow when the machine is busy or the disk stalls.
 * @param processorMs returns the processor time of the database in ms, or undefined while it waits for the disk
 * @param onExceeded runs once for a hold that exceeds its limit
 */
export function openHoldWatchdog(
  processorMs: () => Promise<number | undefined>,
  onExceeded: (hold: Hold) => void,
): HoldWatchdog {
  let current: { hold: Hold; countedAt: number; isChecked: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function countBusyTime(): void {
    if (!current) return;
    const now = performance.now();
    // A longer gap means that the machine slept or the process was stopped. The hold did not cause it.
    current.hold.busyMs += Math.min(now - current.countedAt, 3 * TICK_MS);
    current.countedAt = now;
  }

  async function tick(): Promise<void> {
    if (!current) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    countBusyTime();
    const checked = current;
    const { hold } = checked;
    if (hold.busyMs < MEASURED_FROM_MS || checked.isChecked) return;
    checked.isChecked = true;
    const isExceeded = await isOverLimit(hold);
    checked.isChecked = false;
    if (isExceeded && current === checked && !hold.causedRestart) onExceeded(hold);
  }

  async function isOverLimit(hold: Hold): Promise<boolean> {
    const maxMs = hold.work.maxHoldMs ?? MAX_HOLD_MS;
    if (hold.startProcessorMs !== undefined && hold.busyMs < maxMs) return false;
    const totalMs = await processorMs();
    if (hold.startProcessorMs === undefined) {
      // The first reading assumes that the hold has computed all the time.
      if (totalMs !== undefined) hold.startProcessorMs = totalMs - hold.busyMs;
      return hold.busyMs > maxMs * DISK_FACTOR;
    }
    const usedMs = totalMs === undefined ? 0 : totalMs - hold.startProcessorMs;
    return (
      usedMs > maxMs ||
      (usedMs > hold.busyMs / 20 && hold.busyMs > maxMs * CLOCK_FACTOR) ||
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
      countBusyTime();
      current = undefined;
    },
  };
}
