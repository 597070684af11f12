import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** So many tokens at once and so many each second, for one holder. */
export type TokenBucket = {
  /** Takes them if all of them are there. */
  take(tokens?: number): boolean;
  /** Seconds from the last `take` until there will be so many, one by default. */
  wait(tokens?: number): number;
};

export type Rate = {
  /** Tokens that a holder may save up. */
  capacity: number;
  perSecond: number;
};

/** @param now in milliseconds, on a clock that never goes back */
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

/** Maximum number of keys. Beyond it the least recently used one is deleted, which only relaxes its limit. */
const REMEMBERED = 50_000;

/**
 * State per key. The cache grows on demand: with a fixed size the library allocates all memory at once, and thirty
 * unused limits would take 30 MB.
 */
export const remembered = <Of extends object>(most = REMEMBERED): LRUCache<string, Of> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });

/** A token bucket for each key. @param now in milliseconds, on a clock that never goes back */
export function tokenBuckets(rate: Rate, now?: () => number) {
  const buckets = remembered<TokenBucket>();
  return {
    /** Takes tokens, one by default, for this key. @returns 0, or the seconds until there will be enough */
    take(key: string, tokens?: number): number {
      const own = buckets.get(key) ?? openBucket(rate, now);
      buckets.set(key, own);
      return own.take(tokens) ? 0 : own.wait(tokens);
    },
  };
}

export type Attempt = {
  /** 0, or the seconds until another may be made. */
  wait: number;
  /** It did not fail after all. */
  forgive(): void;
};

/** So many failures within so long a time; the next must wait until the oldest of them is over. */
export function failureLimit(
  { most, withinMs }: { most: number; withinMs: number },
  now: () => number = () => performance.now(),
) {
  const failures = remembered<number[]>();
  return {
    /** Counts an attempt as failed until it is forgiven, so that many at once cannot slip through together. */
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

/** One attempt under several limits: it must be free under each, and counts under all of them or under none. */
export function combineLimits(attempts: Attempt[]): Attempt {
  const forgive = () => {
    for (const attempt of attempts) attempt.forgive();
  };
  const wait = Math.max(0, ...attempts.map((attempt) => attempt.wait));
  if (wait > 0) forgive();
  return { wait, forgive };
}

/**
 * What counts as one visitor's line: an IPv4 address, or the first 64 bits of an IPv6 one, because every household
 * has all the addresses behind them.
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
