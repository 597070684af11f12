import { utilizationMeter } from './load.ts';

/*
 * V8 keeps the pages of garbage that it has collected, and gives them back only when a program allocates little. It
 * estimates that from its last collections, which after a flood were close to each other, and an idle server makes no new
 * ones: measured, 231 MB stayed resident for as long as the server was idle, of which 71 MB were in use.
 */

/** Between two measurements of the load, in milliseconds. */
const CHECK_MS = 10_000;
/** The part of the time that this process works below which it is idle, and above which it makes much garbage. */
const IDLE = 0.2;
const BUSY = 0.5;
/** Measurements in a row that find the process idle before memory is released: half a minute. */
const IDLE_CHECKS = 3;

export type IdleMemoryOptions = {
  /** Collects all garbage and returns its pages; by default V8's own, where Node was started with --expose-gc. */
  collect?(): void;
  /** The part of the time since the last call that this process has worked, 0 to 1. */
  measure?(): number;
};

/**
 * Returns the memory of garbage to the system once a busy process is idle again.
 * @returns a function that ends it
 */
export function releaseIdleMemory({
  collect = collectAll(),
  measure = utilizationMeter(),
}: IdleMemoryOptions = {}): () => void {
  if (!collect) return () => {};
  // A start makes garbage as well.
  let wasBusy = true;
  let idleChecks = 0;
  const timer = setInterval(() => {
    const load = measure();
    wasBusy ||= load >= BUSY;
    idleChecks = load < IDLE ? idleChecks + 1 : 0;
    if (!wasBusy || idleChecks < IDLE_CHECKS) return;
    wasBusy = false;
    collect();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

function collectAll(): (() => void) | undefined {
  const { gc } = globalThis;
  return gc && (() => void gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }));
}
