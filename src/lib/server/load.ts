import { utilizationMeter } from 'embedded-supabase';
import { log } from '../data/log.ts';
import { LIMITS } from '../domain/limits.ts';
import { SERVER } from '../i18n/cli.ts';

/** Thresholds, clock and actions of the load monitor. */
type LoadMonitorOptions = {
  /** Percent of one core above which the site counts as overloaded; 0 for never. */
  threshold: number;
  /** Reports the overload to the database, where the report is valid for `surge_load_seconds`. */
  report(): Promise<unknown>;
  /** The load since the last call, 0 to 1. */
  measure?(): number;
  /** A monotonic clock in milliseconds. */
  now?(): number;
};

/** Interval of the measurements, in milliseconds. Single bursts of rendering are shorter. */
const CHECK_MS = 5_000;
/** Consecutive measurements above the threshold before overload is reported: 15 seconds. */
const MIN_CHECKS = 3;
/** Interval at which a lasting overload is reported again, well before the last report expires. In milliseconds. */
const REPORT_MS = 30_000;
/** Surge mode lowers the load. Above this part of the threshold it is extended. */
const EXTEND_ABOVE = 0.5;

/**
 * Reports when this process is overloaded, repeatedly while it lasts. The end of an overload is not reported: the last
 * report expires after two minutes, also when the process has died.
 * @returns a function that stops it
 */
export function monitorLoad({
  threshold,
  report,
  measure = utilizationMeter(),
  now = () => performance.now(),
}: LoadMonitorOptions): () => void {
  if (threshold === 0) return () => {};
  let checks = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isReporting = false;
  let failed = false;

  async function check() {
    const load = measure() * 100;
    checks = load >= threshold ? checks + 1 : 0;
    const since = now() - reportedAt;
    const isSurging = since < LIMITS.surge_load_seconds * 1000;
    const isLoaded = checks >= MIN_CHECKS || (isSurging && load >= threshold * EXTEND_ABOVE);
    if (!isLoaded || isReporting || since < REPORT_MS) return;
    isReporting = true;
    try {
      await report();
      reportedAt = now();
      failed = false;
    } catch (error) {
      // Tried again at the next measurement.
      if (!failed)
        log.warn(SERVER.overloadNotReported(error instanceof Error ? error.message : String(error)));
      failed = true;
    } finally {
      isReporting = false;
    }
  }

  const timer = setInterval(check, CHECK_MS);
  return () => clearInterval(timer);
}
