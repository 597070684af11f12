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
