import { setFlagsFromString } from 'node:v8';

/** Sends a message to the parent process, if it has an IPC channel, and waits until it is sent. */
export function notifyParent(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/** Interval of heartbeats, in milliseconds. */
const HEARTBEAT_MS = 2_000;

/** Says from now on that the event loop turns, to the process that started us, when it is one that listens. */
export function sendHeartbeats(): void {
  setInterval(() => {
    // A channel that breaks now is heard of as 'disconnect'.
    if (process.connected) process.send?.({ type: 'beat' }, undefined, undefined, () => {});
  }, HEARTBEAT_MS).unref();
}

/**
 * To be called before the first PGlite. Left to itself V8 compiles it a second time at every start, optimised:
 * measured, that takes 800 MB for some seconds, which a cheap server does not have, instead of 290, for queries that
 * are a twentieth faster.
 */
export function limitCompilerMemory(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
