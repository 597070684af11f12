/** Milliseconds for what lasts: unlike the clock on the wall nobody sets it, and it never runs backwards. */
export const monotonic = (): number => performance.now();
