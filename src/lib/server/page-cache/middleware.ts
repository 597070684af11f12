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
  /** Every slug that leads to a coverage, old ones too; null when that is not known. */
  knowSlugs(slugs: ReadonlySet<string> | null): void;
  /** Names whoever compares what is known with the database: who asks for an unknown slug waits for that. */
  askWith(ask: () => Promise<void>): void;
  /** How full its caches are. */
  sizes(): Record<string, Sizes>;
  /** Answers at once from memory, where it can. */
  hit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Answers what is a public page; all else goes to `next`. */
  before(next: RequestListener): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Says that there is no such page. */
  missing(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** What is fetched or drawn elsewhere takes no turn from what is read. */
const isPicture = (key: string) => key.startsWith('/photos/') || key.endsWith('/card.png');

/** Whoever is refused for want of a turn may try again after so many seconds. */
const TRY_AGAIN_S = '5';

/**
 * Who waited longer than this for a page, in ms, is told for how long: a page that was made anew says nothing of its
 * reader's line (src/islands/network/connection-quality.ts).
 */
const NOTED_MS = 50;

/** What photos may take of memory: some 300 of usual size, each in two or three widths. */
const PHOTO_BYTES = 48 * 1024 * 1024;
/** Each is some hundred KB on its way from the backend. */
const PHOTOS_AT_ONCE = 4;

/** What was found takes some 60 KB with all its forms: what many look for at the same time. */
const SEARCH_BYTES = 4 * 1024 * 1024;
/** Each keeps a database busy for a while: one that only one asks for at a time, so that pages never wait for two. */
const SEARCHES_AT_ONCE = 2;
/** Who comes when so many wait would wait for seconds. */
const SEARCHES_WAITING = 20;

export type FrontOptions = CacheOptions & {
  /** For whom a request asks for an address; without it, for a client that is not known. */
  askerOf?(request: IncomingMessage, key: string): Asker;
  /** Refuses the request of a client that may cause no rendering for so many seconds. */
  refuseTooMany?(request: IncomingMessage, response: ServerResponse, wait: number): void;
};

/** The shared cache as visitors meet it: in front of the pages, by HTTP. */
export function openFront({ askerOf = () => ({}), refuseTooMany, ...options }: FrontOptions): Front {
  const { now = monotonic } = options;
  const pages = openCache(options);
  // Photos have room and turns of their own: however many are asked for, no page goes or waits for them.
  const photos = openCache({ ...options, maxBytes: PHOTO_BYTES, atOnce: PHOTOS_AT_ONCE });
  // So have searches, and what else anybody can make up as much of as they like.
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

/** Is something looked for? The form alone is a page like any other. */
const isSearch = (key: string) => key.startsWith(`${SEARCH_PATH}?`);

/** Anybody can make up any number of these: searches, and places in lists that go on. */
const isMadeUp = (key: string) => isSearch(key) || /^\/(?:people|topics)\/[^?]*\?before=/.test(key);

/** Does a browser ask for a page to show it? */
const isVisit = ({ headers }: IncomingMessage) => headers['sec-fetch-mode'] === 'navigate';
