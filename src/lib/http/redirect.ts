import { cacheControl, NO_STORE } from './cache.ts';

/** A redirect to another path of this site. A permanent one may be kept for a while, never for ever by browsers. */
export function redirectTo(path: string, status: 301 | 302): Response {
  const caching = status === 301 ? cacheControl('moved') : NO_STORE;
  return new Response(null, { status, headers: { Location: path, 'Cache-Control': caching } });
}
