/**
 * Creates a rate limit: `most` calls per key in a sliding window. The counts are in the memory of this worker.
 * @param windowMs milliseconds
 * @param now monotonic clock. A wall clock that is set back would block callers until it has caught up.
 * @returns counts one call; returns the seconds to wait, 0 if it is allowed
 */
export function pace(most: number, windowMs: number, now = () => performance.now()): (who: string) => number {
  const asked = new Map<string, number[]>();
  return (who) => {
    const since = now() - windowMs;
    const recent = (asked.get(who) ?? []).filter((at) => at > since);
    // Deletes keys without a call in the window. The map is ordered by last call.
    for (const [other, times] of asked) {
      if ((times.at(-1) ?? 0) > since) break;
      asked.delete(other);
    }
    if (recent.length < most) recent.push(now());
    else return Math.ceil(((recent[0] ?? 0) - since) / 1000);
    asked.delete(who);
    asked.set(who, recent);
    return 0;
  };
}
