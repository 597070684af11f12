import { Cron, type CronOptions } from 'croner';

const SECONDS = /^(\d+) seconds?$/;

/** Once, as soon as the backend runs; pg_cron's word for it. */
const AT_START = '@reboot';

/**
 * Runs something whenever a schedule of pg_cron's says so: five fields in UTC, a word for them, or so many seconds.
 * While one run is under way the next is left out, and what was due before this call is not made up for.
 * @param starting whether the backend has just begun to run
 * @throws TypeError or RangeError of croner, when it does not know such a schedule
 */
export function keepTime(schedule: string, starting: boolean, run: () => Promise<void>): { stop(): void } {
  const wanted = schedule.trim().toLowerCase().replace(/\s+/g, ' ');
  if (wanted === AT_START) {
    if (starting) void run();
    return { stop() {} };
  }
  const options: CronOptions = { timezone: 'UTC', protect: true };
  const seconds = SECONDS.exec(wanted)?.[1];
  return seconds
    ? new Cron('* * * * * *', { ...options, interval: Number(seconds) }, run)
    : // pg_cron's mark for the last day of a month.
      new Cron(
        wanted.replace('$', 'L'),
        { ...options, ...(!wanted.startsWith('@') && { mode: '5-part' }) },
        run,
      );
}
