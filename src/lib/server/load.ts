import { performance } from 'node:perf_hooks';
import { log } from '../data/log.ts';
import { LIMITS } from '../domain/limits.ts';
import { SERVER } from '../i18n/cli.ts';

/** The load of this process, and what the clock and the database have to do with it. */
export type LoadTask = {
  /** Percent of one core from which on the site is loaded; 0 for never. */
  at: number;
  /** Says to the database that the site is loaded, which is true there for `surge_load_seconds`. */
  tell(): Promise<unknown>;
  /** What part of the time since it was last asked this process has worked, 0 to 1. */
  measure?(): number;
  /** A clock that never jumps, in milliseconds. */
  now?(): number;
};

/** Between two looks. One rendering, or many at once, are over by then. */
const LOOK_MS = 5_000;
/** So many looks in a row must find the site loaded before it is said: a quarter of a minute. */
const LOOKS = 3;
/** What is said again is said this long after the last time, several times before it ends. */
const AGAIN_MS = 30_000;
/** Once readers were moved the load falls: above this part of the bound it is said again. */
const STILL = 0.5;

/**
 * Watches how loaded this process is, and says so as long as it is. A load that has gone is not said: what was said
 * last ends by itself, two minutes later, as it does when this process has died.
 * @returns a function that ends it
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
      // At the next look it is tried again.
      if (!failed) log.warn(SERVER.loadNotTold(error instanceof Error ? error.message : String(error)));
      failed = true;
    } finally {
      telling = false;
    }
  }

  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

/** Measures the part of the time since the last call that this process has worked, 0 to 1. */
export function utilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
