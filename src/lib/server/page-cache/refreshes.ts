import { LRUCache } from 'lru-cache';

/** An invalidated response that was requested within this time is rendered again before the next request. In ms. */
const DEMAND_MS = 120_000;
/** Maximum number of keys whose last request is remembered. */
const MAX_KEYS = 500;

export type RefreshOptions = {
  /** Renders and stores the response for a key. Never rejects. */
  render(key: string): Promise<unknown>;
  /** Refreshes that run at once. */
  concurrency: number;
  /** A monotonic clock in milliseconds. */
  now(): number;
};

/**
 * Renders invalidated responses again before a reader asks for them, the most recently requested first.
 *
 * A key is rendered by one refresh at a time. Invalidations that come meanwhile cause one more rendering, however many
 * they are: a page that is invalidated ten times a second is rendered as often as it can be.
 */
export function createRefreshes({ render, concurrency, now }: RefreshOptions) {
  /** When each key was last requested, the most recent first. */
  const requests = new LRUCache<string, number>({ max: MAX_KEYS });
  const invalidated = new Set<string>();
  const running = new Set<string>();

  const isInDemand = (key: string) => now() - (requests.peek(key) ?? Number.NEGATIVE_INFINITY) <= DEMAND_MS;

  /** Returns the invalidated key that was requested last, unless it is being rendered. */
  function next(): string | undefined {
    for (const key of requests.keys()) if (invalidated.has(key) && !running.has(key)) return key;
    // Those that are left were requested too long ago.
    if (running.size === 0) invalidated.clear();
    return undefined;
  }

  function start(): void {
    while (running.size < concurrency) {
      const key = next();
      if (key === undefined) return;
      invalidated.delete(key);
      if (isInDemand(key)) void refresh(key);
    }
  }

  async function refresh(key: string): Promise<void> {
    running.add(key);
    await render(key);
    running.delete(key);
    start();
  }

  return {
    /** Records a reader's request. */
    request(key: string): void {
      if (concurrency > 0) requests.set(key, now());
    },

    /** Call with the keys of responses that an invalidation affects, once it is complete. */
    invalidate(keys: Iterable<string>): void {
      if (concurrency === 0) return;
      for (const key of keys) if (isInDemand(key)) invalidated.add(key);
      start();
    },

    size: () => running.size + invalidated.size,
  };
}
