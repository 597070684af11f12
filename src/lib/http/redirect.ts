import { cacheControl } from './cache.ts';

/** A redirect to another path of this site. Caches may keep it as long as a page, browsers never for good. */
export function redirectTo(path: string, status: 301 | 302, cacheTags: string[]): Response {
  const headers = { Location: path, 'Cache-Control': cacheControl('page'), 'Cache-Tag': cacheTags.join(',') };
  return new Response(null, { status, headers });
}
