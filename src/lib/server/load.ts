import { performance } from 'node:perf_hooks';
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

/** Returns a function that measures the load since its last call, 0 to 1. */
function utilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/* V8 returns the memory of collected garbage only when a program allocates little. It estimates that from its last
   collections, which follow each other closely after a peak, and an idle server makes no new ones. Measured: 231 MB
   stayed resident while the server was idle, of which 71 MB were in use. */

/** Interval of the load measurements, in milliseconds. */
const IDLE_CHECK_MS = 10_000;
/** Load (0 to 1) below which the process is idle, and above which it produces much garbage. */
const IDLE = 0.2;
const BUSY = 0.5;
/** Consecutive idle measurements before memory is released: half a minute. */
const IDLE_CHECKS = 3;

type IdleMemoryOptions = {
  /** Collects all garbage and returns its memory. Default: V8's collector if Node runs with --expose-gc. */
  collect?(): void;
  /** The load since the last call, 0 to 1. */
  measure?(): number;
};

/**
 * Returns garbage memory to the system when a busy process becomes idle.
 * @returns a function that stops it
 */
export function releaseIdleMemory({
  collect = collectAll(),
  measure = utilizationMeter(),
}: IdleMemoryOptions = {}): () => void {
  if (!collect) return () => {};
  // Starting produces garbage too.
  let wasBusy = true;
  let idleChecks = 0;
  const timer = setInterval(() => {
    const load = measure();
    wasBusy ||= load >= BUSY;
    idleChecks = load < IDLE ? idleChecks + 1 : 0;
    if (!wasBusy || idleChecks < IDLE_CHECKS) return;
    wasBusy = false;
    collect();
  }, IDLE_CHECK_MS).unref();
  return () => clearInterval(timer);
}

function collectAll(): (() => void) | undefined {
  const { gc } = globalThis;
  return gc && (() => void gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }));
}
