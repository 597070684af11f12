import { performance } from 'node:perf_hooks';
import { log } from '../data/log.ts';
import { LIMITS } from '../domain/limits.ts';
import { SERVER } from '../i18n/cli.ts';

/** Thresholds, clock and actions of the load monitor. */
export type LoadTask = {
  /** Percent of one core above which the site counts as overloaded; 0 for never. */
  at: number;
  /** Reports the overload to the database, where the report is valid for `surge_load_seconds`. */
  tell(): Promise<unknown>;
  /** The load since the last call, 0 to 1. */
  measure?(): number;
  /** A monotonic clock in milliseconds. */
  now?(): number;
};

/** Interval of the measurements, in milliseconds. Single bursts of rendering are shorter. */
const LOOK_MS = 5_000;
/** Consecutive measurements above the threshold before overload is reported: 15 seconds. */
const LOOKS = 3;
/** Interval at which a lasting overload is reported again, well before the last report expires. In milliseconds. */
const AGAIN_MS = 30_000;
/** Surge mode lowers the load. Above this part of the threshold it is extended. */
const STILL = 0.5;

/**
 * Reports when this process is overloaded, repeatedly while it lasts. The end of an overload is not reported: the last
 * report expires after two minutes, also when the process has died.
 * @returns a function that stops it
 */
export function watchLoad({
  at,
  tell,
  measure = utilizationMeter(),
  now = () => performance.now(),
}: LoadTask): () => void {
  if (at === 0) return () => {};
  let looks = 0;
  let told = Number.NEGATIVE_INFINITY;
  let telling = false;
  let failed = false;

  async function look() {
    const load = measure() * 100;
    looks = load >= at ? looks + 1 : 0;
    const since = now() - told;
    const surges = since < LIMITS.surge_load_seconds * 1000;
    const isLoaded = looks >= LOOKS || (surges && load >= at * STILL);
    if (!isLoaded || telling || since < AGAIN_MS) return;
    telling = true;
    try {
      await tell();
      told = now();
      failed = false;
    } catch (error) {
      // Tried again at the next measurement.
      if (!failed) log.warn(SERVER.loadNotTold(error instanceof Error ? error.message : String(error)));
      failed = true;
    } finally {
      telling = false;
    }
  }

  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

/** Returns a function that measures the load since its last call, 0 to 1. */
export function utilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
