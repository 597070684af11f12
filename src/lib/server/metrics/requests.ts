import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Histogram } from 'prom-client';
import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import { type CachedResponse, isRevalidatable } from '../page-cache/cached-response.ts';
import { few, registry } from './registry.ts';

/**
 * The routes of the site and of its backend as its numbers and its log name them: never by what stands in an address,
 * which may be a secret and of which there is no end.
 */
export const ROUTES = [
  '/',
  '/_astro/[file]',
  '/about',
  '/account',
  '/account/[over]',
  '/account/data',
  '/account/delete',
  '/api/me',
  '/api/photos/[id]',
  '/api/push',
  '/api/token',
  '/api/waiting',
  '/archive',
  '/archive/[year]',
  '/archive/[year]/[month]',
  '/auth/code',
  '/auth/confirm',
  '/auth/sign-out',
  '/card.png',
  '/corrections',
  '/desk',
  '/desk-sw.js',
  '/desk/[slug]',
  '/desk/[slug]/settings',
  '/desk/new',
  '/desk/people',
  '/desk/people/[id]',
  '/desk/people/invite',
  '/desk/people/invites',
  '/desk/people/link',
  '/desk/people/log',
  '/desk/photos',
  '/desk/photos/[id]',
  '/desk/photos/[id]/[width]',
  '/desk/site',
  '/desk/site/export',
  '/desk/tips',
  '/feed.atom',
  '/feed.json',
  '/follow/live/[slug]',
  '/follow/topics/[slug]',
  '/healthz',
  '/healthz/ready',
  '/invites/[token]',
  '/live/[slug]',
  '/live/[slug]/[number]',
  '/live/[slug]/card.png',
  '/live/[slug]/changes',
  '/live/[slug]/embed',
  '/live/[slug]/feed.atom',
  '/live/[slug]/feed.json',
  '/live/[slug]/timeline',
  '/manifest.webmanifest',
  '/metrics',
  '/oembed',
  '/offline',
  '/offline/desk',
  '/opensearch.xml',
  '/people/[handle]',
  '/photos/[id]/[width]',
  '/privacy',
  '/reset-password',
  '/robots.txt',
  '/search',
  '/setup',
  '/sign-in',
  '/sign-up',
  '/sitemap-news.xml',
  '/sitemap.xml',
  '/sitemaps/[part].xml',
  '/sw.js',
  '/tips',
  '/tips/[receipt]',
  '/tips/[receipt]/state',
  '/topics/[slug]',
  '/topics/[slug]/feed.atom',
  '/topics/[slug]/feed.json',
  '/unsubscribe/[token]',
] as const;

/** What none of them is: addresses that people and scanners make up. */
const OTHER = 'other';

const BACKEND = /^\/(?:auth|rest|storage|realtime|functions)\/v1(?=\/|$)/;

/** Longer ones are none of ours. */
const LONGEST = 200;

type Known = { exact: Set<string>; patterns: [RegExp, string][] };

const patternOf = (route: string) =>
  new RegExp(`^${route.replace(/[.]/g, '\\$&').replace(/\[\w+\]/g, '[^/]+')}$`);

const known: Known = {
  exact: new Set(ROUTES.filter((route) => !route.includes('['))),
  // What is said in full goes before what stands for anything.
  patterns: ROUTES.filter((route) => route.includes('['))
    .toSorted((a, b) => a.split('[').length - b.split('[').length)
    .map((route) => [patternOf(route), route]),
};

/** @param address the path, with or without a query */
export function routeOf(address = ''): string {
  const [path = ''] = address.slice(0, LONGEST).split('?', 1);
  if (known.exact.has(path)) return path;
  const backend = BACKEND.exec(path);
  if (backend) return `${backend[0]}`;
  return known.patterns.find(([pattern]) => pattern.test(path))?.[1] ?? OTHER;
}

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
const hitsOf = new WeakMap<CachedResponse, Hits>();

/** Counts an answer from memory: thousands a second, so no more than a number goes up. */
export function countHit(key: string, copy: CachedResponse): void {
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
export function noteCopy(response: ServerResponse, copy: CachedResponse, came: number, now: number): void {
  const { lifetime, madeAt } = copy;
  const result = madeAt >= came ? 'made' : isRevalidatable(copy, now) ? 'hit' : 'stale';
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
    const told = { method: knownMethod(method), route, status, ms: Math.round(seconds * 1000) };
    if (status >= 500) lines((left) => log.warn(SERVER.failedRequest, { ...told, left }));
    else if (seconds > SLOW_S && !IS_FILE.test(route))
      lines((left) => log.warn(SERVER.slowRequest, { ...told, left }));
    else log.debug(SERVER.request, told);
  });
}

const kindOf = (route: string) => (/\/v1$/.test(route) ? 'backend' : 'site');

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const knownMethod = (method: string) => (METHODS.includes(method) ? method : 'other');
