import type { APIRoute } from 'astro';
import { declareCache, tags } from '../lib/http/cache.ts';

/** What is not worth a crawler's time: rooms that need a key, and fragments of pages. */
const RULES = [
  'User-agent: *',
  'Disallow: /desk',
  'Disallow: /account',
  'Disallow: /api/',
  'Disallow: /live/*/changes',
];

export const GET: APIRoute = () => {
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8' });
  declareCache(headers, 'page', [tags.site]);
  return new Response(`${RULES.join('\n')}\n`, { headers });
};
