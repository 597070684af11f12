import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Histogram, Registry } from 'prom-client';
import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import { type CachedResponse, isPreviousCopy, isRevalidatable } from '../page-cache/cached-response.ts';
import { routeOf } from '../route-limits.ts';

/** All metrics of this process. */
export const registry = new Registry();

/**
 * Runs at most this many jobs a second and skips the others.
 * @returns a function that runs or skips a job; a job that runs gets the number of those skipped before it, if any
 */
function limitRate(perSecond: number, now: () => number = () => performance.now()) {
  let second = Number.NEGATIVE_INFINITY;
  let done = 0;
  let skipped = 0;
  return (work: (skipped: number | undefined) => void): void => {
    if (now() - second >= 1000) [second, done] = [now(), 0];
    if (done >= perSecond) {
      skipped += 1;
      return;
    }
    done += 1;
    work(skipped || undefined);
    skipped = 0;
  };
}

/**
 * How the page cache produced a response: from memory (`hit`), by rendering (`made`), as a stale copy (`stale`), or not
 * at all (`none`).
 */
type CacheResult = 'hit' | 'made' | 'stale' | 'none';

/** Requests above this duration are logged as slow, in seconds. */
const SLOW_S = 1;

/** The duration of a file transfer depends on the client's connection. */
const IS_FILE =
  /^\/(?:storage\/v1|tips$|photos\/|desk\/photos\/|api\/photos\/|desk\/site\/export|account\/data)/;

const counted = new Counter({
  name: 'stoppress_requests_total',
  help: 'Responses by route, status and cache result',
  labelNames: ['route', 'status', 'cache'],
  registers: [registry],
  collect() {
    for (const hit of hits.values()) {
      this.inc({ route: hit.route, status: hit.status, cache: 'hit' }, hit.count);
      hit.count = 0;
    }
  },
});

const durations = new Histogram({
  name: 'stoppress_request_seconds',
  help: 'Duration of requests, without responses from memory',
  labelNames: ['kind'],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

type Hits = { route: string; status: number; count: number };

/** Counts since the last scrape, also by stored response, to avoid looking up the route each time. */
const hits = new Map<string, Hits>();
const hitsOf = new WeakMap<CachedResponse, Hits>();

/** Counts a response from memory. It only increments a number, because there are thousands a second. */
export function countHit(key: string, copy: CachedResponse): void {
  let entry = hitsOf.get(copy);
  if (!entry) {
    const [route, { status }] = [routeOf(key), copy];
    const name = `${status} ${route}`;
    entry = hits.get(name) ?? { route, status, count: 0 };
    hits.set(name, entry);
    hitsOf.set(copy, entry);
  }
  entry.count += 1;
}

const results = new WeakMap<ServerResponse, CacheResult>();

/**
 * Records how the cache produced an observed response. @param arrivedAt time of the request on the cache's clock,
 * like `now`
 */
export function recordCacheResult(
  response: ServerResponse,
  copy: CachedResponse,
  arrivedAt: number,
  now: number,
): void {
  const { lifetime, madeAt } = copy;
  const result =
    madeAt >= arrivedAt ? 'made' : isRevalidatable(copy, now) || isPreviousCopy(copy, now) ? 'hit' : 'stale';
  // A response that must not be stored was rendered for its requests.
  results.set(response, lifetime ? result : 'made');
}

/** Limits the log to this many lines a second. */
const lines = limitRate(5);

/**
 * Counts a request, and logs failed and slow ones as warnings, others at level debug (STOPPRESS_LOG_LEVEL). The log
 * shows only the route.
 */
export function observe(request: IncomingMessage, response: ServerResponse): void {
  const began = performance.now();
  const { method = '' } = request;
  // Read now, because later middleware rewrites the address.
  const route = routeOf(request.url);
  response.once('close', () => {
    const seconds = (performance.now() - began) / 1000;
    const status = response.headersSent ? response.statusCode : 0;
    counted.inc({ route, status, cache: results.get(response) ?? 'none' });
    durations.observe({ kind: kindOf(route) }, seconds);
    const fields = { method: knownMethod(method), route, status, ms: Math.round(seconds * 1000) };
    if (status >= 500) lines((skipped) => log.warn(SERVER.failedRequest, { ...fields, skipped }));
    else if (seconds > SLOW_S && !IS_FILE.test(route))
      lines((skipped) => log.warn(SERVER.slowRequest, { ...fields, skipped }));
    else log.debug(SERVER.request, fields);
  });
}

const kindOf = (route: string) => (/\/v1$/.test(route) ? 'backend' : 'site');

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const knownMethod = (method: string) => (METHODS.includes(method) ? method : 'other');
