import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Histogram } from 'prom-client';
import { type Copy, isUsable } from '../cache/copy.ts';
import { log } from '../log/log.ts';
import { SERVER } from '../text/commands.ts';
import { few } from './few.ts';
import { registry } from './registry.ts';
import { routeOf } from './routes.ts';

/**
 * How an answer came: from memory as it was kept (`hit`), rendered for it (`made`), an old copy because no new one could
 * be had (`stale`), or of nothing that is kept (`none`).
 */
type CacheResult = 'hit' | 'made' | 'stale' | 'none';

/** Longer than this is slow, in seconds: what a person waits for. */
const SLOW_S = 1;

/** Files take as long as their line. */
const IS_FILE =
  /^\/(?:storage\/v1|tips$|photos\/|desk\/photos\/|api\/photos\/|desk\/site\/export|account\/data)/;

const counted = new Counter({
  name: 'stoppress_requests_total',
  help: 'Answers, by route, status and what the shared cache had to do with it',
  labelNames: ['route', 'status', 'cache'],
  registers: [registry],
  collect() {
    for (const hit of hits.values()) {
      this.inc({ route: hit.route, status: hit.status, cache: 'hit' }, hit.count);
      hit.count = 0;
    }
  },
});

const took = new Histogram({
  name: 'stoppress_request_seconds',
  help: 'From a request to the end of its answer, but for those from memory, which take no time',
  labelNames: ['kind'],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

type Hits = { route: string; status: number; count: number };

/** Since they were last added to the numbers; by copy, so that nothing is looked up by an address again and again. */
const hits = new Map<string, Hits>();
const hitsOf = new WeakMap<Copy, Hits>();

/** Counts an answer from memory: thousands a second, so no more than a number goes up. */
export function countHit(key: string, copy: Copy): void {
  let its = hitsOf.get(copy);
  if (!its) {
    const [route, { status }] = [routeOf(key), copy];
    const name = `${status} ${route}`;
    its = hits.get(name) ?? { route, status, count: 0 };
    hits.set(name, its);
    hitsOf.set(copy, its);
  }
  its.count += 1;
}

const results = new WeakMap<ServerResponse, CacheResult>();

/** Notes what the shared cache had to do with an answer that is observed. @param came by the cache's clock, as `now` */
export function noteCopy(response: ServerResponse, copy: Copy, came: number, now: number): void {
  const { lifetime, madeAt } = copy;
  const result = madeAt >= came ? 'made' : isUsable(copy, now) ? 'hit' : 'stale';
  // What may not be kept was made for those who waited for it.
  results.set(response, lifetime ? result : 'made');
}

/** As many lines a second as a person who looks on can read. */
const lines = few(5);

/**
 * Counts a request, and says on the log what failed or was slow: all others only where the log is asked for them
 * (STOPPRESS_LOG_LEVEL=debug). By its route, which holds nothing of anybody.
 */
export function observe(request: IncomingMessage, response: ServerResponse): void {
  const began = performance.now();
  const { method = '' } = request;
  // What follows may give it another address.
  const route = routeOf(request.url);
  response.once('close', () => {
    const seconds = (performance.now() - began) / 1000;
    const status = response.headersSent ? response.statusCode : 0;
    counted.inc({ route, status, cache: results.get(response) ?? 'none' });
    took.observe({ kind: kindOf(route) }, seconds);
    const told = { method: known(method), route, status, ms: Math.round(seconds * 1000) };
    if (status >= 500) lines((left) => log.warn(SERVER.failedRequest, { ...told, left }));
    else if (seconds > SLOW_S && !IS_FILE.test(route))
      lines((left) => log.warn(SERVER.slowRequest, { ...told, left }));
    else log.debug(SERVER.request, told);
  });
}

const kindOf = (route: string) => (/\/v1$/.test(route) ? 'backend' : 'site');

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const known = (method: string) => (METHODS.includes(method) ? method : 'other');
