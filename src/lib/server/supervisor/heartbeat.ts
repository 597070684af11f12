/** Interval of the heartbeat, in milliseconds. */
const BEAT_MS = 2_000;

export const BEAT = 'beat';

/** Sends a heartbeat to the parent process, if there is one. */
export function beat(): void {
  setInterval(() => {
    // A broken channel is reported by the 'disconnect' event.
    if (process.connected) process.send?.({ type: BEAT }, undefined, undefined, () => {});
  }, BEAT_MS).unref();
}
