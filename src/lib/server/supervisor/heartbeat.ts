/** Interval of the heartbeat, in milliseconds. */
const HEARTBEAT_MS = 2_000;

export const HEARTBEAT = 'beat';

/** Sends a heartbeat to the parent process, if there is one. */
export function sendHeartbeats(): void {
  setInterval(() => {
    // A broken channel is reported by the 'disconnect' event.
    if (process.connected) process.send?.({ type: HEARTBEAT }, undefined, undefined, () => {});
  }, HEARTBEAT_MS).unref();
}
