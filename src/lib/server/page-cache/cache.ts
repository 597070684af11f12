import { LRUCache } from 'lru-cache';
import { settlesWithin } from '../../data/fetch-timeout.ts';
import {
  type CachedResponse,
  type CacheStats,
  isFresh,
  isPreviousCopy,
  isRevalidatable,
  isUsableOnError,
  type PurgeMode,
  sizeOf,
  survivesInvalidation,
} from './cached-response.ts';
import {
  createRenderings,
  Outdated,
  QueueFull,
  RateLimited,
  type Renderer,
  type RenderingOptions,
  type Requester,
} from './renderings.ts';

/** Maximum part of the memory for a single response. */
const MAX_SHARE = 1 / 8;

/** Maximum number of responses, whatever their size. */
const MAX_RESPONSES = 20_000;

/** Stores responses by key and indexes them by tag. The least recently used ones are evicted above `maxBytes`. */
function createStore(maxBytes: number, now: () => number) {
  const byTag = new Map<string, Set<string>>();
  let evicted = 0;

  const copies = new LRUCache<string, CachedResponse>({
    max: MAX_RESPONSES,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes * MAX_SHARE),
    sizeCalculation: sizeOf,
    dispose(copy, key, reason) {
      if (reason === 'evict') evicted += 1;
      for (const tag of copy.tags) {
        const keys = byTag.get(tag);
        keys?.delete(key);
        if (keys?.size === 0) byTag.delete(tag);
      }
    },
  });

  function drop(key: string, mode: PurgeMode) {
    const copy = copies.peek(key);
    if (mode === 'stale' && copy && survivesInvalidation(copy)) copy.invalidatedAt ??= now();
    else copies.delete(key);
  }

  return {
    get: (key: string) => copies.get(key),

    /** Reads a response without marking it as recently used. */
    peek: (key: string) => copies.peek(key),

    /** Stores a response, unless the stored one was rendered later. */
    put(key: string, copy: CachedResponse): void {
      if ((copies.peek(key)?.order ?? -1) > copy.order) return;
      if (copy.invalidatedAt !== null && !survivesInvalidation(copy)) return;
      copies.set(key, copy);
      if (copies.peek(key) !== copy) return;
      for (const tag of copy.tags) {
        const keys = byTag.get(tag) ?? new Set();
        byTag.set(tag, keys.add(key));
      }
    },

    /** Keys of the responses with one of these tags. */
    keysOf: (tags: Iterable<string>): Set<string> =>
      new Set([...tags].flatMap((tag) => [...(byTag.get(tag) ?? [])])),

    keys: (): string[] => [...copies.keys()],

    drop(keys: Iterable<string>, mode: PurgeMode): void {
      for (const key of keys) drop(key, mode);
    },

    /** Number of responses, tags and evictions, and the bytes in use. */
    size: () => ({ bytes: copies.calculatedSize, copies: copies.size, tags: byTag.size, evicted }),
  };
}

export type CacheOptions = Pick<RenderingOptions, 'concurrency' | 'perClient' | 'capacity' | 'timeoutMs'> & {
  /**
   * Invalidated responses that are rendered again at once, before a reader asks for them. Default: 2. With 0 the next
   * request renders them.
   */
  refreshes?: number;
  /** Renders the response for a key: the path and the declared parameters of a public page. */
  render: Renderer;
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  now?: () => number;
  /** Memory limit for all responses with all their encodings, in bytes. */
  maxBytes?: number;
};

export type Cache = ReturnType<typeof createCache>;

const MEGABYTE = 1024 * 1024;

/**
 * A key whose rendering failed is not rendered again for this long, or for as long as the failed attempt took if that
 * was longer. This limits the load on a backend that is down.
 */
const PAUSE_MS = 1_000;
/**
 * While a key is failing, requests get its stale copy at once instead of waiting for another attempt. That lasts this
 * many times the duration of the failed attempt, and at least `PAUSE_MS`.
 */
const STALE_FACTOR = 3;
/** Maximum number of remembered failures. */
const MAX_FAILURES = 200;

/**
 * How long a rendering is repeated when content that it shows was removed while it ran. A desk that removes several
 * items in a row can outdate several attempts on a busy backend.
 */
const RETRY_MS = 10_000;

/**
 * How long a request waits for a new page when a stale copy exists. After that it gets the stale copy, which shows its
 * time, and the rendering continues.
 */
const STALE_AFTER_MS = 3_000;

/** A rendering that no reader waits for yet. */
const REFRESH: Requester = { isRefresh: true };

type Outcome = { copy: CachedResponse } | { copy?: undefined; error: unknown };

/**
 * A failed rendering. `pausedUntil`: no new attempt before this time. `staleUntil`: stale copies are served at once
 * until this time.
 */
type Failure = { outcome: Outcome; pausedUntil: number; staleUntil: number };

/**
 * A cache of rendered public pages with the semantics of RFC 9111. A response is served until its lifetime ends or one
 * of its tags is purged. The cache knows nothing of HTTP connections or of Astro.
 */
export function createCache({
  render,
  now = () => performance.now(),
  maxBytes = 64 * MEGABYTE,
  refreshes: concurrency = 2,
  ...bounds
}: CacheOptions) {
  const store = createStore(maxBytes, now);
  const refreshes = createRefreshes({ render: refresh, concurrency, now });
  const renderings = createRenderings({
    render: (key) => render(key, store.peek(key)),
    now,
    store: store.put,
    outdated: (key) => refreshes.invalidate([key]),
    ...bounds,
  });
  const failures = new LRUCache<string, Failure>({ max: MAX_FAILURES });
  let purges = 0;

  const join = (key: string, requester?: Requester): Promise<Outcome> =>
    renderings.join(key, store.peek(key) !== undefined, requester).then(
      (copy) => ({ copy }),
      (error: unknown) => ({ error }),
    );

  async function attempt(key: string, requester?: Requester): Promise<Outcome> {
    const failed = failures.get(key);
    if (failed && now() < failed.pausedUntil) return failed.outcome;
    const [began, before] = [now(), purges];
    let outcome = await join(key, requester);
    while (isOutdated(outcome) && now() - began < RETRY_MS) outcome = await join(key);
    if (!hasFailed(outcome)) failures.delete(key);
    // A purge during the attempt may have fixed its cause, so such a failure is not remembered.
    else if (!isTemporary(outcome) && purges === before) remember(key, outcome, now() - began);
    return outcome;
  }

  /** Renders a page before readers ask for it, unless one of them has caused that meanwhile. */
  async function refresh(key: string): Promise<void> {
    const stored = store.peek(key);
    if (!stored || !isFresh(stored, now())) await attempt(key, REFRESH);
  }

  /** Several requests can wait for one rendering. The one that waited longest determines the pause. */
  function remember(key: string, outcome: Outcome, duration: number): void {
    const { pausedUntil = 0, staleUntil = 0 } = failures.get(key) ?? {};
    failures.set(key, {
      outcome,
      pausedUntil: Math.max(pausedUntil, now() + Math.max(PAUSE_MS, duration)),
      staleUntil: Math.max(staleUntil, now() + Math.max(PAUSE_MS, duration * STALE_FACTOR)),
    });
  }

  /** Whether a new rendering would probably fail like the last one. */
  const isFailing = (key: string) => now() < (failures.get(key)?.staleUntil ?? Number.NEGATIVE_INFINITY);

  function forgetFailures(): void {
    purges++;
    failures.clear();
  }

  const isStored = (key: string, copy: CachedResponse) => store.peek(key) === copy;

  function serve(copy: CachedResponse): CachedResponse {
    copy.served++;
    return copy;
  }

  /** Whether a copy that is not fresh may be served while a new one is rendered. */
  function mayServe(key: string, copy: CachedResponse, requester?: Requester): boolean {
    if (isRevalidatable(copy, now())) return true;
    if (!requester?.isReload && isPreviousCopy(copy, now())) return true;
    return isUsableOnError(copy, now()) && isFailing(key);
  }

  function invalidate(keys: Iterable<string>, mode: PurgeMode): void {
    store.drop(keys, mode);
    refreshes.invalidate(keys);
  }

  return {
    /** The stored response if it is fresh, otherwise undefined. */
    lookup(key: string): CachedResponse | undefined {
      const copy = store.get(key);
      if (!copy || !isFresh(copy, now())) return undefined;
      refreshes.request(key);
      return serve(copy);
    },

    /**
     * Returns the response for a key: the stored one while it is fresh, may be revalidated or was invalidated a moment
     * ago, else a new rendering that all concurrent requests share, else the stale copy. A new rendering reflects every
     * purge that preceded this call.
     * @throws the error of the rendering when there is no stale copy
     */
    async fetch(key: string, requester?: Requester): Promise<CachedResponse> {
      refreshes.request(key);
      const stored = store.get(key);
      if (stored && isFresh(stored, now())) return serve(stored);
      if (stored && mayServe(key, stored, requester)) {
        void attempt(key, requester);
        return serve(stored);
      }
      const rendering = attempt(key, requester);
      const inTime =
        stored && isUsableOnError(stored, now()) ? await settlesWithin(STALE_AFTER_MS, rendering) : true;
      const outcome = inTime ? await rendering : undefined;
      if (!outcome || hasFailed(outcome)) {
        // Read again: the stale copy may have been purged while the rendering ran.
        const staleCopy = store.get(key);
        if (staleCopy && isUsableOnError(staleCopy, now())) return serve(staleCopy);
      }
      const rendered = outcome ?? (await rendering);
      if (rendered.copy) return rendered.copy;
      throw rendered.error;
    },

    isStored,

    /** Replaces the bodies of a stored response by smaller ones, unless another response has replaced it. */
    replaceBodies(key: string, copy: CachedResponse, bodies: CachedResponse['bodies']): void {
      if (isStored(key, copy)) store.put(key, { ...copy, bodies });
    },

    /**
     * Invalidates responses by tag. With `stale` they may still be served when rendering fails; with `gone` never.
     * Renderings in progress that carry such a tag are not stored.
     */
    purge(tags: Iterable<string>, mode: PurgeMode): void {
      const names = [...tags];
      forgetFailures();
      renderings.purge(names, mode);
      invalidate(store.keysOf(names), mode);
    },

    /** Invalidates every response, like `purge`. */
    purgeAll(mode: PurgeMode): void {
      forgetFailures();
      renderings.purge('all', mode);
      invalidate(store.keys(), mode);
    },

    /** Whether no rendering is running or waiting. */
    isIdle: renderings.isIdle,

    size: store.size,

    sizes(): CacheStats {
      const { bytes, copies, evicted } = store.size();
      const { running, waiting, rejected: refused } = renderings.size();
      return { copies, bytes, evicted, rendering: running, waiting, refused };
    },
  };
}

const hasFailed = ({ copy }: Outcome) => !copy || copy.status >= 500;

const isOutdated = (outcome: Outcome) => !outcome.copy && outcome.error instanceof Outdated;

/** Whether the failure says nothing about the page itself: a full queue or a rate limit. */
const isTemporary = ({ copy, ...outcome }: Outcome) =>
  !copy && 'error' in outcome && (outcome.error instanceof QueueFull || outcome.error instanceof RateLimited);

/** An invalidated response that was requested within this time is rendered again before the next request. In ms. */
const DEMAND_MS = 120_000;
/** Maximum number of keys whose last request is remembered. */
const MAX_KEYS = 500;

type RefreshOptions = {
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
function createRefreshes({ render, concurrency, now }: RefreshOptions) {
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
