/** Milliseconds on a clock that never runs backwards and that changes of the system time do not affect. */
export const monotonic = (): number => performance.now();
