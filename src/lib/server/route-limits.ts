/**
 * What a response costs.
 * - `file`: bytes that exist already. Without limits.
 * - `page`: rendered once for all readers, then sent from the cache; a limited number of addresses.
 * - `variant`: like `page`, but a client can make up addresses without limit (numbers, times, ids).
 * - `personal`: rendered for each request, because it shows a session or has a secret address.
 * - `costly`: a search, or a response as large as the newsroom's data.
 */
export type Cost = 'file' | 'page' | 'variant' | 'personal' | 'costly';

/** A token bucket of one client network. */
export type RateLimit = {
  /** Requests that a client may make at once. */
  burst: number;
  perSecond: number;
};

/**
 * Renderings that one client network may cause, by cost. A response from the cache costs nothing, and when many clients
 * wait for one rendering, only the first one pays. A rendering takes 10 to 40 ms of one core, so a client at its limit
 * uses less than half of it. The burst lets a newsroom, or a small town behind one address, load many pages at once.
 */
export const RATES: Readonly<Record<Exclude<Cost, 'file'>, RateLimit>> = {
  page: { burst: 200, perSecond: 20 },
  variant: { burst: 100, perSecond: 10 },
  personal: { burst: 120, perSecond: 10 },
  costly: { burst: 30, perSecond: 2 },
};

/**
 * The routes of site and backend, and what each costs. A `page` with query parameters counts as `variant`. Metrics and
 * log name only the route: addresses themselves can contain secrets and are unlimited in number.
 */
export const COSTS = {
  '/': 'page',
  '/_astro/[file]': 'file',
  '/about': 'page',
  '/account': 'personal',
  '/account/[over]': 'personal',
  '/account/data': 'costly',
  '/account/delete': 'personal',
  '/account/tips/[id]/photo': 'personal',
  '/api/coverages.json': 'page',
  '/api/device-follows': 'personal',
  '/api/me': 'personal',
  '/api/media/[id]': 'personal',
  '/api/photos/[id]': 'personal',
  '/api/push': 'personal',
  '/api/site-image': 'costly',
  '/api/token': 'personal',
  '/api/waiting': 'personal',
  '/api/wordpress-transfer': 'costly',
  '/archive': 'page',
  '/archive/[year]': 'variant',
  '/archive/[year]/[month]': 'variant',
  '/auth/code': 'personal',
  '/auth/confirm': 'personal',
  '/auth/sign-out': 'personal',
  '/card.png': 'page',
  '/corrections': 'page',
  '/desk': 'personal',
  '/desk-sw.js': 'page',
  '/desk/[slug]': 'personal',
  '/desk/[slug]/end': 'personal',
  '/desk/[slug]/settings': 'personal',
  '/desk/site/front-page': 'personal',
  '/desk/media/[id]/[file]': 'personal',
  '/desk/new': 'personal',
  '/desk/people': 'personal',
  '/desk/people/[id]': 'personal',
  '/desk/people/invite': 'personal',
  '/desk/people/invites': 'personal',
  '/desk/people/link': 'personal',
  '/desk/people/log': 'personal',
  '/desk/photos': 'personal',
  '/desk/photos/[id]': 'personal',
  '/desk/photos/[id]/[width]': 'personal',
  '/desk/site': 'personal',
  '/desk/site/[section]': 'personal',
  '/desk/site/export': 'costly',
  '/desk/site/masthead': 'personal',
  '/desk/tips': 'personal',
  '/feed.atom': 'page',
  '/feed.json': 'page',
  '/follow': 'page',
  '/follow/confirm/[token]': 'personal',
  '/follow/live/[slug]': 'personal',
  '/follow/topics/[slug]': 'personal',
  '/healthz': 'file',
  '/healthz/ready': 'file',
  '/invites/[token]': 'personal',
  '/live/[slug]': 'page',
  '/live/[slug]/[number]': 'variant',
  '/live/[slug]/[number]/map/[place].svg': 'variant',
  '/live/[slug]/brief': 'page',
  '/live/[slug]/brief.txt': 'page',
  '/live/[slug]/card.jpg': 'page',
  '/live/[slug]/card.png': 'page',
  '/live/[slug]/changes': 'variant',
  '/live/[slug]/embed': 'page',
  '/live/[slug]/feed.atom': 'page',
  '/live/[slug]/feed.json': 'page',
  '/live/[slug]/part': 'page',
  '/live/[slug]/timeline': 'page',
  '/manifest.webmanifest': 'page',
  '/media/[id]/[file]': 'variant',
  '/metrics': 'file',
  '/oembed': 'variant',
  '/offline': 'page',
  '/offline/desk': 'page',
  '/opensearch.xml': 'page',
  '/people/[handle]': 'variant',
  '/photos/[id]/[width]': 'variant',
  '/privacy': 'page',
  '/reset-password': 'personal',
  '/robots.txt': 'page',
  '/search': 'costly',
  '/setup': 'personal',
  '/sign-in': 'personal',
  '/sign-up': 'personal',
  '/site-images/[name]': 'variant',
  '/sitemap-news.xml': 'page',
  '/sitemap.xml': 'page',
  '/sitemaps/[part].xml': 'variant',
  '/sw.js': 'page',
  '/tips': 'page',
  '/tips/[receipt]': 'personal',
  '/tips/[receipt]/photo': 'personal',
  '/tips/[receipt]/state': 'personal',
  '/topics/[slug]': 'variant',
  '/topics/[slug]/feed.atom': 'variant',
  '/topics/[slug]/feed.json': 'variant',
  '/unsubscribe/[token]': 'personal',
} as const satisfies Record<string, Cost>;

const isRoute = (route: string): route is keyof typeof COSTS => Object.hasOwn(COSTS, route);

/** Route name of made-up addresses. */
const OTHER = 'other';

const BACKEND = /^\/(?:auth|rest|storage|realtime|functions)\/v1(?=\/|$)/;

/** Longer addresses match no route. */
const MAX_LENGTH = 200;

const patternOf = (route: string) =>
  new RegExp(`^${route.replace(/[.]/g, '\\$&').replace(/\[\w+\]/g, '[^/]+')}$`);

/** Routes with parameters, more specific ones first. */
const PATTERNS = Object.keys(COSTS)
  .filter((route) => route.includes('['))
  .toSorted((a, b) => a.split('[').length - b.split('[').length)
  .map((route) => [patternOf(route), route] as const);

/** The route name of an address. @param address the path, with or without a query */
export function routeOf(address = ''): string {
  const [path = ''] = address.slice(0, MAX_LENGTH).split('?', 1);
  if (isRoute(path)) return path;
  const backend = BACKEND.exec(path);
  if (backend) return backend[0];
  return PATTERNS.find(([pattern]) => pattern.test(path))?.[1] ?? OTHER;
}

/** The cost of rendering an address. Unknown addresses count as the "not found" page. */
export function costOf(address: string): Cost {
  const route = routeOf(address);
  const cost: Cost = isRoute(route) ? COSTS[route] : 'page';
  return cost === 'page' && address.includes('?') ? 'variant' : cost;
}

/** Formats of the secrets in addresses. No page is rendered for a secret of another format. */
const SECRETS: readonly (readonly [route: RegExp, secret: RegExp])[] = [
  [/^\/tips\/([^/]+)(?:\/(?:photo|state))?$/, /^[\w-]{32,128}$/],
  [/^\/unsubscribe\/([^/]+)$/, /^[\w-]{20,100}$/],
  [/^\/follow\/confirm\/([^/]+)$/, /^[\w-]{43}$/],
  [/^\/invites\/([^/]+)$/, /^[\w-]{43}$/],
];

/** Whether a path contains a secret that cannot be valid. @param path decoded, without a query */
export function hasInvalidSecret(path: string): boolean {
  return SECRETS.some(([route, shape]) => {
    const secret = route.exec(path)?.[1];
    return secret !== undefined && !shape.test(secret);
  });
}
