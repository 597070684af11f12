/**
 * Returns the client network of an address for rate limits: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because a household has all addresses in that range.
 */
export function clientNetwork(address: string): string {
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]/`)?.hostname;
  if (host === undefined) return address;
  // The canonical form of the WHATWG URL standard: hexadecimal groups, the longest run of zeros as two colons.
  const [front = [], back = []] = host.slice(1, -1).split('::').map(groupsOf);
  const v4 = front.length === 0 && back.length === 3 && back[0] === 'ffff' ? back.slice(1) : [];
  if (v4.length > 0) return v4.flatMap(bytesOf).join('.');
  const between = host.includes('::') ? Array<string>(8 - front.length - back.length).fill('0') : [];
  return [...front, ...between, ...back].slice(0, 4).join(':');
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));

function bytesOf(group: string): number[] {
  const bits = Number.parseInt(group, 16);
  return [bits >> 8, bits & 255];
}

/**
 * Creates a rate limit: `most` calls per key in a sliding window. The counts are in the memory of this worker.
 * @param windowMs milliseconds
 * @param now monotonic clock. A wall clock that is set back would block callers until it has caught up.
 * @returns counts one call; returns the seconds to wait, 0 if it is allowed
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
