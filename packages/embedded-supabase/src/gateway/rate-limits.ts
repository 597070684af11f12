import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import { apiKeyTypeOf, isSameKey, type Keys } from '../keys.ts';

/**
 * Request header with the server token, `Keys.serverToken`. The website's server sends it with its own requests and with
 * those that it forwards for visitors.
 */
export const SERVER_TOKEN_HEADER = 'x-server-token';

/** Address of every other client, because the backend listens on the loopback interface only. */
const LOOPBACK = '127.0.0.1';

type HeaderOf = (name: string) => string | undefined;

/** Returns the token of an Authorization header. */
export const bearerToken = (authorization = ''): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];

/** Returns true for a request that contains the server token or the secret key. */
export function isFromServer(header: HeaderOf, keys: Keys): boolean {
  const token = header(SERVER_TOKEN_HEADER);
  if (token !== undefined && isSameKey(token, keys.serverToken)) return true;
  const sentKeys = [header('apikey'), bearerToken(header('authorization'))];
  return sentKeys.some((key) => key !== undefined && apiKeyTypeOf(keys, key) === 'secret');
}

/**
 * Returns the address that a request's rate limits count for: the last one of `x-forwarded-for`. Only the website's
 * server is trusted to send this header. All other programs on this machine count as one visitor.
 * @returns undefined for a request of the website's server itself, which has no limits
 */
export function clientAddress(header: HeaderOf, keys: Keys): string | undefined {
  if (!isFromServer(header, keys)) return LOOPBACK;
  return header('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined;
}

/** Returns the `clientAddress` of a request of the HTTP server. */
export const requestAddress = (c: Context, keys: Keys) => clientAddress((name) => c.req.header(name), keys);

/** Rate limit of one key: a number of tokens at once, and a number of new tokens per second. */
export type TokenBucket = {
  /** Takes tokens, one by default. @returns false if there are not enough; then it takes none */
  take(tokens?: number): boolean;
  /** Returns the seconds from the last `take` until there are enough tokens, one by default. */
  secondsUntil(tokens?: number): number;
};

export type Rate = {
  /** Maximum number of tokens in the bucket. */
  capacity: number;
  perSecond: number;
};

/** Creates a full token bucket. @param now monotonic clock in milliseconds */
export function createTokenBucket(
  { capacity, perSecond }: Rate,
  now: () => number = () => performance.now(),
): TokenBucket {
  let level = capacity;
  let updatedAt = now();
  return {
    take(tokens = 1) {
      const time = now();
      level = Math.min(capacity, level + ((time - updatedAt) / 1000) * perSecond);
      updatedAt = time;
      if (level < tokens) return false;
      level -= tokens;
      return true;
    },
    secondsUntil: (tokens = 1) => Math.max(0, tokens - level) / perSecond,
  };
}

/** Maximum number of keys. Above it, the least recently used key is deleted, which only relaxes its limit. */
const MAX_KEYS = 50_000;

/**
 * Creates a cache of state per key. It grows on demand. With a fixed size, the library would allocate all memory at
 * once, and thirty unused limits would take 30 MB.
 */
export const createLruCache = <Value extends object>(maxKeys = MAX_KEYS): LRUCache<string, Value> =>
  new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });

/** Creates a token bucket for each key. @param now monotonic clock in milliseconds */
export function createTokenBuckets(rate: Rate, now?: () => number) {
  const buckets = createLruCache<TokenBucket>();
  return {
    /** Takes tokens, one by default, for this key. @returns 0, or the seconds until there are enough */
    take(key: string, tokens?: number): number {
      const bucket = buckets.get(key) ?? createTokenBucket(rate, now);
      buckets.set(key, bucket);
      return bucket.take(tokens) ? 0 : bucket.secondsUntil(tokens);
    },
  };
}

export type Attempt = {
  /** 0, or the seconds until an attempt is allowed. */
  waitS: number;
  /** Stops counting the attempt as failed. */
  succeed(): void;
};

/**
 * Creates a limit on failed attempts per key in a sliding window. When it is reached, the next attempt must wait until
 * the oldest failure has left the window.
 */
export function createSlidingWindowLimit(
  { max: maxFailures, windowMs }: { max: number; windowMs: number },
  now: () => number = () => performance.now(),
) {
  const failures = createLruCache<number[]>();
  return {
    /** Counts an attempt as failed until it succeeds, so that concurrent attempts cannot exceed the limit. */
    begin(key: string): Attempt {
      const startedAt = now();
      const recent = (failures.get(key) ?? []).filter((time) => startedAt - time < windowMs);
      const oldest = recent[0];
      if (oldest !== undefined && recent.length >= maxFailures) {
        return { waitS: (oldest + windowMs - startedAt) / 1000, succeed() {} };
      }
      failures.set(key, [...recent, startedAt]);
      return {
        waitS: 0,
        succeed() {
          const current = failures.get(key) ?? [];
          const index = current.indexOf(startedAt);
          if (index >= 0) failures.set(key, current.toSpliced(index, 1));
        },
      };
    },
  };
}

/** Combines one attempt under several limits. All must allow it, and it counts under all of them or under none. */
export function combineLimits(attempts: Attempt[]): Attempt {
  const succeed = () => {
    for (const attempt of attempts) attempt.succeed();
  };
  const waitS = Math.max(0, ...attempts.map((attempt) => attempt.waitS));
  if (waitS > 0) succeed();
  return { waitS, succeed };
}
