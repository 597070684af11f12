import type { APIRoute } from 'astro';
import { siteUrl } from '../lib/data/environment.ts';
import { declareCache, tags } from '../lib/http/cache-policy.ts';
import { INDEX_PATH, NEWS_PATH } from '../lib/publishing/sitemaps.ts';

/** Paths that are not crawled: private pages, forms, search results and fragments. */
const NOT_WORTH = [
  '/desk',
  '/account',
  '/api/',
  '/auth/',
  '/sign-in',
  '/sign-up',
  '/reset-password',
  '/invites/',
  '/setup',
  '/follow/',
  '/unsubscribe/',
  '/tips/',
  '/search',
  '/live/*/changes',
  '/live/*/part',
];

export const GET: APIRoute = () => {
  const lines = [
    'User-agent: *',
    ...NOT_WORTH.map((path) => `Disallow: ${path}`),
    '',
    ...[INDEX_PATH, NEWS_PATH].map((path) => `Sitemap: ${siteUrl(path)}`),
  ];
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8' });
  declareCache(headers, 'page', [tags.site]);
  return new Response(`${lines.join('\n')}\n`, { headers });
};
