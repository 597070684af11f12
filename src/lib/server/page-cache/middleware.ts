import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MISSED, type Place, placeOf } from '../../data/public-routes.ts';
import { SEARCH_PATH } from '../../domain/search-path.ts';
import { REFUSALS } from '../../i18n/cli.ts';
import { refuse } from '../errors.ts';
import { countHit, noteCopy } from '../metrics/requests.ts';
import { type Cache, type CacheOptions, openCache } from './cache.ts';
import { monotonic } from './clock.ts';
import { openPolish } from './recompress.ts';
import { type Asker, NotRendered, RateLimited } from './renderings.ts';
import { send } from './send.ts';
import { openSlugs } from './slugs.ts';
import type { Copy, Sizes } from './stored-copy.ts';

export type Front = Pick<Cache, 'purge' | 'purgeAll'> & {
  /** Sets the slugs of all coverages, former ones included; null when they are not known. */
  knowSlugs(slugs: ReadonlySet<string> | null): void;
  /**
   * Sets the function that compares the known sequences with the database. Requests for an unknown slug wait for it.
   */
  askWith(ask: () => Promise<void>): void;
  /** Size and load of each cache. */
  sizes(): Record<string, Sizes>;
  /** Answers from memory if a fresh response is stored. Returns false otherwise. */
  hit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Answers public pages and passes other requests to `next`. */
  before(next: RequestListener): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Sends the "not found" page. */
  missing(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** Photos and Open Graph images, which have a cache and a queue of their own. */
const isPicture = (key: string) => key.startsWith('/photos/') || key.endsWith('/card.png');

/** `Retry-After` of a request that the full queue rejected, in seconds. */
const TRY_AGAIN_S = '5';

/**
 * A page that waited longer than this carries the waiting time in `Server-Timing`, in ms. It lets the browser tell a
 * slow rendering from a slow connection (src/islands/network/connection-quality.ts).
 */
const NOTED_MS = 50;

/** Memory for photos: about 300 of usual size, each in two or three widths. */
const PHOTO_BYTES = 48 * 1024 * 1024;
/** Photos that are fetched at once. Each takes some hundred KB while it is copied from the backend. */
const PHOTOS_AT_ONCE = 4;

/** Memory for search results. One takes about 60 KB with all its encodings. */
const SEARCH_BYTES = 4 * 1024 * 1024;
/** Searches that run at once. Each occupies the database, so a search that only one reader waits for runs alone. */
const SEARCHES_AT_ONCE = 2;
/** Searches that may wait. With more of them the last one would wait for seconds. */
const SEARCHES_WAITING = 20;

export type FrontOptions = CacheOptions & {
  /** The client that a request counts for. Default: an unknown client. */
  askerOf?(request: IncomingMessage, key: string): Asker;
  /** Answers a request that the rate limit refused. `wait`: seconds until the next attempt. */
  refuseTooMany?(request: IncomingMessage, response: ServerResponse, wait: number): void;
};

/** The page cache as HTTP middleware in front of the Astro pages. */
export function openFront({ askerOf = () => ({}), refuseTooMany, ...options }: FrontOptions): Front {
  const { now = monotonic } = options;
  const pages = openCache(options);
  // Photos have memory and a queue of their own, so they neither evict nor delay pages.
  const photos = openCache({ ...options, maxBytes: PHOTO_BYTES, atOnce: PHOTOS_AT_ONCE });
  // The same holds for searches and other addresses that a client can make up without limit.
  const searches = openCache({
    ...options,
    maxBytes: SEARCH_BYTES,
    atOnce: SEARCHES_AT_ONCE,
    waiting: SEARCHES_WAITING,
  });
  const all = [pages, photos, searches];
  const cacheOf = (key: string) => (isPicture(key) ? photos : isMadeUp(key) ? searches : pages);
  let ask = async () => {};
  const slugs = openSlugs(() => ask(), now);
  const polish = openPolish(pages);

  function answer(request: IncomingMessage, response: ServerResponse, key: string, copy: Copy) {
    send(request, response, copy, now());
    polish(key, copy);
  }

  async function answerFrom(place: Place, request: IncomingMessage, response: ServerResponse) {
    try {
      const came = now();
      const key = await keyOf(place);
      const copy = await cacheOf(key).fetch(key, askerOf(request, key));
      const waited = Math.round(now() - came);
      if (waited > NOTED_MS && isVisit(request)) response.setHeader('server-timing', `made;dur=${waited}`);
      noteCopy(response, copy, came, now());
      answer(request, response, key, copy);
    } catch (error) {
      if (!(error instanceof NotRendered)) throw error;
      if (error instanceof RateLimited && refuseTooMany) return refuseTooMany(request, response, error.wait);
      response.setHeader('retry-after', TRY_AGAIN_S);
      refuse(request, response, 503, isSearch(place.key) ? REFUSALS.searching : REFUSALS.unavailable);
    }
  }

  async function keyOf({ key, slug, missing }: Place): Promise<string> {
    return slug === undefined || (await slugs.mayExist(slug)) ? key : missing;
  }

  return {
    purge(tags, how) {
      const names = [...tags];
      for (const cache of all) cache.purge(names, how);
    },
    purgeAll(how) {
      for (const cache of all) cache.purgeAll(how);
    },
    knowSlugs: slugs.know,
    askWith(asker) {
      ask = asker;
    },

    sizes: () => ({ pages: pages.sizes(), photos: photos.sizes(), searches: searches.sizes() }),

    hit(request, response) {
      const { method, url = '' } = request;
      if (method !== 'GET' && method !== 'HEAD') return false;
      const copy = cacheOf(url).lookup(url);
      if (!copy) return false;
      countHit(url, copy);
      answer(request, response, url, copy);
      return true;
    },

    before: (next) => async (request, response) => {
      const reads = request.method === 'GET' || request.method === 'HEAD';
      const place = reads ? placeOf(request.url ?? '') : null;
      return place ? answerFrom(place, request, response) : next(request, response);
    },

    missing: (request, response) => answerFrom(MISSED, request, response),
  };
}

/** Whether a search has a query. The empty search form is cached like other pages. */
const isSearch = (key: string) => key.startsWith(`${SEARCH_PATH}?`);

/** Addresses that a client can vary without limit: searches and cursors of long lists. */
const isMadeUp = (key: string) => isSearch(key) || /^\/(?:people|topics)\/[^?]*\?before=/.test(key);

/** Whether a browser navigates to the page. */
const isVisit = ({ headers }: IncomingMessage) => headers['sec-fetch-mode'] === 'navigate';
