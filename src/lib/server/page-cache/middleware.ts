import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type CacheRoute, cacheRouteOf, MISSING_ROUTE } from '../../data/public-routes.ts';
import { serverBridge } from '../../data/server-bridge.ts';
import { SEARCH_PATH } from '../../domain/search.ts';
import { REFUSALS } from '../../i18n/cli.ts';
import { refuse } from '../errors.ts';
import { countHit, recordCacheResult } from '../metrics/requests.ts';
import { type Cache, type CacheOptions, createCache } from './cache.ts';
import {
  type CachedResponse,
  type CacheStats,
  compressBest,
  isRecompressible,
  send,
} from './cached-response.ts';
import { NotRendered, RateLimited, type Requester, withRenderTimeout } from './renderings.ts';

/**
 * Minimum interval between two comparisons for unknown slugs: a coverage may have gone live meanwhile. In milliseconds.
 */
const COMPARE_AGAIN_MS = 2_000;
/** Maximum time that a request waits for a comparison, in milliseconds. */
const COMPARE_TIMEOUT_MS = 2_000;

/**
 * Knows which slugs lead to a coverage, so that requests for made-up slugs do not reach the backend.
 * @param compare compares the known slugs with the database and reports them by `know`
 */
export function createSlugFilter(compare: () => Promise<void>, now: () => number = () => performance.now()) {
  let known: ReadonlySet<string> | null = null;
  /** The last known slugs, also while `known` is null. */
  let lastKnown: ReadonlySet<string> | null = null;
  /** Targets of redirects. A request for a renamed coverage can come before the message about its new slug. */
  let redirectTargets: ReadonlySet<string> = new Set();
  let comparedAt = Number.NEGATIVE_INFINITY;
  let running: { since: number; done: Promise<void> } | undefined;

  async function runComparison(): Promise<void> {
    const since = now();
    try {
      await compare();
      comparedAt = since;
    } finally {
      running = undefined;
    }
  }

  return {
    /** Sets the slugs of all coverages, former ones included; null when they are not known. */
    set(slugs: ReadonlySet<string> | null): void {
      known = slugs;
      lastKnown = slugs ?? lastKnown;
      if (slugs) redirectTargets = redirectTargets.difference(slugs);
    },

    /** Adds the slug that a redirect leads to. */
    addRedirectTarget(slug: string): void {
      redirectTargets = new Set([...redirectTargets, slug]);
    },

    /**
     * False when certainly no coverage has this slug.
     * @throws NotRendered when the comparison times out
     */
    async mayExist(slug: string): Promise<boolean> {
      if (lastKnown === null || (known ?? lastKnown).has(slug) || redirectTargets.has(slug)) return true;
      if (now() - comparedAt >= COMPARE_AGAIN_MS) {
        running ??= { since: now(), done: runComparison().catch(() => undefined) };
        await withRenderTimeout(Math.max(0, running.since + COMPARE_TIMEOUT_MS - now()), running.done);
      }
      return known === null || known.has(slug);
    },
  };
}

/** A stored response is recompressed once it was served this often. */
const MIN_SERVED = 2;
/** Interval at which a waiting recompression checks whether rendering has stopped. In milliseconds. */
const IDLE_CHECK_MS = 50;

/** Recompresses frequently served responses, one at a time and only while no page is rendered. */
export function createRecompressor(cache: Pick<Cache, 'isStored' | 'isIdle' | 'replaceBodies'>) {
  let busy = false;

  async function recompress(key: string, copy: CachedResponse): Promise<void> {
    busy = true;
    try {
      while (!cache.isIdle()) await pause(IDLE_CHECK_MS, undefined, { ref: false });
      if (cache.isStored(key, copy)) cache.replaceBodies(key, copy, await compressBest(copy.bodies));
    } finally {
      busy = false;
    }
  }

  return (key: string, copy: CachedResponse): void => {
    if (!busy && copy.served >= MIN_SERVED && isRecompressible(copy)) void recompress(key, copy);
  };
}

export type PageCache = Pick<Cache, 'purge' | 'purgeAll'> & {
  /** Sets the slugs of all coverages, former ones included; null when they are not known. */
  setSlugs(slugs: ReadonlySet<string> | null): void;
  /**
   * Sets the function that compares the known sequences with the database. Requests for an unknown slug wait for it.
   */
  compareWith(compare: () => Promise<void>): void;
  /** Size and load of each cache. */
  sizes(): Record<string, CacheStats>;
  /** Answers from memory if a fresh response is stored. Returns false otherwise. */
  serveStored(request: IncomingMessage, response: ServerResponse): boolean;
  /** Answers public pages and passes other requests to `next`. */
  middleware(next: RequestListener): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Sends the "not found" page. */
  sendNotFound(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** Photos and Open Graph images, which have a cache and a queue of their own. */
const isImage = (key: string) => key.startsWith('/photos/') || /\/card\.(?:png|jpg)$/.test(key);

/** Pictures of maps. A client can make up coordinates. */
const isMap = (key: string) => /\/map\/[^/]+\.svg$/.test(key);

/** `Retry-After` of a request that the full queue rejected, in seconds. */
const RETRY_AFTER_S = '5';

/**
 * A page that waited longer than this carries the waiting time in `Server-Timing`, in ms. It lets the browser tell a
 * slow rendering from a slow connection (src/islands/network/network.ts).
 */
const REPORTED_WAIT_MS = 50;

/** Memory for photos: about 300 of usual size, each in two or three widths. */
const PHOTO_BYTES = 48 * 1024 * 1024;
/** Photos that are fetched at once. Each takes some hundred KB while it is copied from the backend. */
const PHOTO_CONCURRENCY = 4;

/** Memory for pictures of maps: about 100, each with all its encodings. */
const MAP_BYTES = 8 * 1024 * 1024;
/** Maps that are looked up at once. They are drawn one at a time. */
const MAP_CONCURRENCY = 2;

/** Memory for search results. One takes about 60 KB with all its encodings. */
const SEARCH_BYTES = 4 * 1024 * 1024;
/** Searches that run at once. Each occupies the database, so a search that only one reader waits for runs alone. */
const SEARCH_CONCURRENCY = 2;
/** Searches that may wait. With more of them the last one would wait for seconds. */
const SEARCH_QUEUE_CAPACITY = 20;

export type PageCacheOptions = CacheOptions & {
  /** The client that a request counts for. Default: an unknown client. */
  requesterOf?(request: IncomingMessage, key: string): Requester;
  /** Answers a request that the rate limit refused. `wait`: seconds until the next attempt. */
  refuseTooMany?(request: IncomingMessage, response: ServerResponse, wait: number): void;
};

/** The page cache as HTTP middleware in front of the Astro pages. */
export function createPageCache({
  requesterOf = () => ({}),
  refuseTooMany,
  ...options
}: PageCacheOptions): PageCache {
  const { now = () => performance.now() } = options;
  const pages = createCache(options);
  // Photos have memory and a queue of their own, so they neither evict nor delay pages.
  const photos = createCache({
    ...options,
    maxBytes: PHOTO_BYTES,
    concurrency: PHOTO_CONCURRENCY,
    refreshes: 0,
  });
  // Made-up coordinates evict neither photos nor pages.
  const maps = createCache({
    ...options,
    maxBytes: MAP_BYTES,
    concurrency: MAP_CONCURRENCY,
    refreshes: 0,
  });
  // The same holds for searches and other addresses that a client can make up without limit.
  const searches = createCache({
    ...options,
    maxBytes: SEARCH_BYTES,
    concurrency: SEARCH_CONCURRENCY,
    capacity: SEARCH_QUEUE_CAPACITY,
    refreshes: 0,
  });
  const all = [pages, photos, maps, searches];
  const cacheOf = (key: string) =>
    isImage(key) ? photos : isMap(key) ? maps : isUnbounded(key) ? searches : pages;
  let compare = async () => {};
  const slugs = createSlugFilter(() => compare(), now);
  const recompress = createRecompressor(pages);

  function respond(request: IncomingMessage, response: ServerResponse, key: string, copy: CachedResponse) {
    send(request, response, copy, now());
    recompress(key, copy);
  }

  async function serveRoute(place: CacheRoute, request: IncomingMessage, response: ServerResponse) {
    try {
      const arrivedAt = now();
      const key = await keyOf(place);
      const requester = { ...requesterOf(request, key), isReload: isReload(request) };
      const copy = await cacheOf(key).fetch(key, requester);
      const target = slugOfRedirect(copy);
      if (target !== undefined && target !== place.slug) slugs.addRedirectTarget(target);
      const waited = Math.round(now() - arrivedAt);
      if (waited > REPORTED_WAIT_MS && isNavigation(request))
        response.setHeader('server-timing', `made;dur=${waited}`);
      recordCacheResult(response, copy, arrivedAt, now());
      respond(request, response, key, copy);
    } catch (error) {
      if (!(error instanceof NotRendered)) throw error;
      if (error instanceof RateLimited && refuseTooMany) return refuseTooMany(request, response, error.wait);
      response.setHeader('retry-after', RETRY_AFTER_S);
      refuse(request, response, 503, isSearch(place.key) ? REFUSALS.searching : REFUSALS.unavailable);
    }
  }

  /** Slug of the coverage that a response leads to, if it is a redirect to one. */
  const slugOfRedirect = ({ headers: { location } }: CachedResponse) =>
    location && cacheRouteOf(location)?.slug;

  async function keyOf({ key, slug, missing }: CacheRoute): Promise<string> {
    return slug === undefined || (await slugs.mayExist(slug)) ? key : missing;
  }

  // Before the pages, because a rendering that starts now must not use older rows.
  const forgetRows = () => {
    serverBridge.invalidations = (serverBridge.invalidations ?? 0) + 1;
  };
  forgetRows();

  return {
    purge(tags, mode) {
      forgetRows();
      const names = [...tags];
      for (const cache of all) cache.purge(names, mode);
    },
    purgeAll(mode) {
      forgetRows();
      for (const cache of all) cache.purgeAll(mode);
    },
    setSlugs: slugs.set,
    compareWith(comparison) {
      compare = comparison;
    },

    sizes: () => ({
      pages: pages.sizes(),
      photos: photos.sizes(),
      maps: maps.sizes(),
      searches: searches.sizes(),
    }),

    serveStored(request, response) {
      const { method, url = '' } = request;
      if (method !== 'GET' && method !== 'HEAD') return false;
      const copy = cacheOf(url).lookup(url);
      if (!copy) return false;
      countHit(url, copy);
      respond(request, response, url, copy);
      return true;
    },

    middleware: (next) => async (request, response) => {
      const reads = request.method === 'GET' || request.method === 'HEAD';
      const place = reads ? cacheRouteOf(request.url ?? '') : null;
      return place ? serveRoute(place, request, response) : next(request, response);
    },

    sendNotFound: (request, response) => serveRoute(MISSING_ROUTE, request, response),
  };
}

/** Whether a search has a query. The empty search form is cached like other pages. */
const isSearch = (key: string) => key.startsWith(`${SEARCH_PATH}?`);

/** Addresses that a client can vary without limit: searches and cursors of long lists. */
const isUnbounded = (key: string) => isSearch(key) || /^\/(?:people|topics)\/[^?]*\?before=/.test(key);

/**
 * Whether the client asks for a response that is not older than its request, as a browser does when a page is
 * reloaded.
 */
const isReload = ({ headers }: IncomingMessage) =>
  /\bno-cache\b|\bmax-age=0\b/.test(headers['cache-control'] ?? '');

/** Whether a browser navigates to the page. */
const isNavigation = ({ headers }: IncomingMessage) => headers['sec-fetch-mode'] === 'navigate';
