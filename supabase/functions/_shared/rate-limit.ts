import ipaddr from 'ipaddr.js';

/**
 * Returns the client network of a request for rate limits, by the address that the gateway saw: an IPv4 address, or the
 * first 64 bits of an IPv6 address, because a household has all addresses in that range.
 */
export function requestNetwork(request: Request): string {
  const address = request.headers.get('x-forwarded-for')?.split(',')[0]?.trim() || 'unknown';
  if (!ipaddr.isValid(address)) return address;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return known.toString();
  return known.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/**
 * Creates a rate limit: `maxCalls` calls per key in a sliding window. The counts are in the memory of this worker.
 * @param windowMs milliseconds
 * @param now monotonic clock. A wall clock that is set back would block callers until it has caught up.
 * @returns a function that counts one call and returns the seconds to wait; 0 if the call is allowed
 */
export function createRateLimit(
  maxCalls: number,
  windowMs: number,
  now = () => performance.now(),
): (key: string) => number {
  const calls = new Map<string, number[]>();
  return (key) => {
    const since = now() - windowMs;
    const recent = (calls.get(key) ?? []).filter((at) => at > since);
    // Deletes keys without a call in the window. The map is ordered by last call.
    for (const [other, times] of calls) {
      if ((times.at(-1) ?? 0) > since) break;
      calls.delete(other);
    }
    if (recent.length < maxCalls) recent.push(now());
    else return Math.ceil(((recent[0] ?? 0) - since) / 1000);
    calls.delete(key);
    calls.set(key, recent);
    return 0;
  };
}
