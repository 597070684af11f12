/** How often a child says that its event loop turns. In milliseconds. */
const BEAT_MS = 2_000;

export const BEAT = 'beat';

/** Says over the channel to whoever forked this process that it is not stuck. Where nobody did, nothing is said. */
export function beat(): void {
  setInterval(() => {
    // A channel that breaks now is heard of as 'disconnect'.
    if (process.connected) process.send?.({ type: BEAT }, undefined, undefined, () => {});
  }, BEAT_MS).unref();
}
