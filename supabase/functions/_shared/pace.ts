/**
 * How often somebody may ask: so many times in a window, counted in the memory of this one worker.
 * @param windowMs milliseconds
 * @param now on a clock that nobody sets: set back a year, it would leave whoever has asked waiting for that year
 * @returns asks for one more of somebody; answers the seconds to wait, 0 where it is allowed
 */
export function pace(most: number, windowMs: number, now = () => performance.now()): (who: string) => number {
  const asked = new Map<string, number[]>();
  return (who) => {
    const since = now() - windowMs;
    const recent = (asked.get(who) ?? []).filter((at) => at > since);
    // Those who have not come for a window are forgotten, the longest known first.
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
