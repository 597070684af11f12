import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Rate limit of one holder: a number of tokens at once, and a number of new tokens per second. */
export type TokenBucket = {
  /** Takes tokens, one by default. @returns false if there are not enough; then it takes none */
  take(tokens?: number): boolean;
  /** Returns the seconds from the last `take` until there are enough tokens, one by default. */
  wait(tokens?: number): number;
};

export type Rate = {
  /** Maximum number of tokens in the bucket. */
  capacity: number;
  perSecond: number;
};

/** Creates a full token bucket. @param now monotonic clock in milliseconds */
export function openBucket(
  { capacity, perSecond }: Rate,
  now: () => number = () => performance.now(),
): TokenBucket {
  let level = capacity;
  let at = now();
  return {
    take(tokens = 1) {
      const time = now();
      level = Math.min(capacity, level + ((time - at) / 1000) * perSecond);
      at = time;
      if (level < tokens) return false;
      level -= tokens;
      return true;
    },
    wait: (tokens = 1) => Math.max(0, tokens - level) / perSecond,
  };
}

/** Maximum number of keys. Above it, the least recently used key is deleted, which only relaxes its limit. */
const REMEMBERED = 50_000;

/**
 * Creates a cache of state per key. It grows on demand. With a fixed size, the library would allocate all memory at
 * once, and thirty unused limits would take 30 MB.
 */
export const remembered = <Of extends object>(most = REMEMBERED): LRUCache<string, Of> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });

/** Creates a token bucket for each key. @param now monotonic clock in milliseconds */
export function tokenBuckets(rate: Rate, now?: () => number) {
  const buckets = remembered<TokenBucket>();
  return {
    /** Takes tokens, one by default, for this key. @returns 0, or the seconds until there are enough */
    take(key: string, tokens?: number): number {
      const own = buckets.get(key) ?? openBucket(rate, now);
      buckets.set(key, own);
      return own.take(tokens) ? 0 : own.wait(tokens);
    },
  };
}

export type Attempt = {
  /** 0, or the seconds until an attempt is allowed. */
  wait: number;
  /** Stops counting the attempt as failed. */
  forgive(): void;
};

/**
 * Creates a limit on failed attempts per key in a sliding window. When it is reached, the next attempt must wait until
 * the oldest failure has left the window.
 */
export function failureLimit(
  { most, withinMs }: { most: number; withinMs: number },
  now: () => number = () => performance.now(),
) {
  const failures = remembered<number[]>();
  return {
    /** Counts an attempt as failed until it is forgiven, so that concurrent attempts cannot exceed the limit. */
    begin(key: string): Attempt {
      const at = now();
      const recent = (failures.get(key) ?? []).filter((time) => at - time < withinMs);
      const oldest = recent[0];
      if (oldest !== undefined && recent.length >= most) {
        return { wait: (oldest + withinMs - at) / 1000, forgive() {} };
      }
      failures.set(key, [...recent, at]);
      return {
        wait: 0,
        forgive() {
          const still = failures.get(key) ?? [];
          const mine = still.indexOf(at);
          if (mine >= 0) failures.set(key, still.toSpliced(mine, 1));
        },
      };
    },
  };
}

/** Combines one attempt under several limits. All must allow it, and it counts under all of them or under none. */
export function combineLimits(attempts: Attempt[]): Attempt {
  const forgive = () => {
    for (const attempt of attempts) attempt.forgive();
  };
  const wait = Math.max(0, ...attempts.map((attempt) => attempt.wait));
  if (wait > 0) forgive();
  return { wait, forgive };
}

/**
 * Returns the client network of an address: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * household has all addresses in that range.
 */
export function clientNetwork(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return address;
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
