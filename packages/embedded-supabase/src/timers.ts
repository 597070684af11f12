import { Cron } from 'croner';
import { backendLog } from './log/log.ts';

/** A repeated job. `stop()` waits for the current run. */
type RunningTimer = { stop(): Promise<void> };

/**
 * Runs a function now and every hour. Logs errors and continues.
 * @param minute minute of the hour; each job has a different one, and backups run at minute 15
 * @param failed sentence that names the failed action
 */
export const runHourly = (minute: number, work: () => Promise<void>, failed: string): RunningTimer =>
  runOnSchedule(`${minute} * * * *`, work, `${failed} The next try is in an hour.`);

/**
 * Runs a function now and by a schedule, never twice at once. Logs errors and continues.
 * @param pattern cron expression, with or without seconds
 * @param failed sentence to log with each error
 */
export function runOnSchedule(pattern: string, work: () => Promise<void>, failed: string): RunningTimer {
  let running: Promise<void> | undefined;
  const run = () => {
    running = work().catch((error: unknown) => {
      backendLog.error(failed, { error });
    });
    return running;
  };
  const job = new Cron(pattern, { protect: true }, run);
  void run();
  return {
    async stop() {
      job.stop();
      await running;
    },
  };
}

/** Maximum delay of a JavaScript timer, about 25 days. A timer with a longer delay fires at once. */
export const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;

export type LongTimer = { stop(): void };

/**
 * Runs a function once after a delay of any length, in ms. A clock that was years ahead may have scheduled jobs for
 * years from now.
 */
export function setLongTimeout(ms: number, run: () => void): LongTimer {
  let remainingMs = ms;
  let timer: NodeJS.Timeout;
  const startTimer = () => {
    const delayMs = Math.min(remainingMs, MAX_TIMER_DELAY_MS);
    remainingMs -= delayMs;
    timer = setTimeout(remainingMs > 0 ? startTimer : run, delayMs);
  };
  startTimer();
  return { stop: () => clearTimeout(timer) };
}
