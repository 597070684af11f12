import type { RequestListener } from 'node:http';
import { newRequestId, underRequest } from 'embedded-supabase';
import inject from 'light-my-request';
import { compress } from './cached-response.ts';
import type { Renderer } from './renderings.ts';

/**
 * Renders a page in-process for all readers: a GET of the configured address without any header of a visitor. If a
 * response is stored, its ETag is sent, so that an unchanged photo is not fetched from the backend again.
 */
export function createRenderer(pages: RequestListener, siteUrl: string): Renderer {
  const headers = siteHeaders(siteUrl);
  return async (key, stored) => {
    const etag = stored?.headers.etag;
    const requestHeaders = { ...headers, ...(etag ? { 'if-none-match': etag } : {}) };
    // A request id of its own: several requests share the rendering, and an error page shows this id.
    const response = await underRequest(newRequestId(), () =>
      inject(pages, { method: 'GET', url: key, headers: requestHeaders }),
    );
    const responseHeaders = Object.fromEntries(
      Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    if (stored && response.statusCode === 304)
      return { ...stored, headers: { ...stored.headers, ...responseHeaders } };
    return {
      status: response.statusCode,
      headers: responseHeaders,
      bodies: await compress(response.rawPayload, response.headers['content-type']?.toString()),
    };
  };
}

/** Request headers for the configured address, without headers of a visitor. */
export function siteHeaders(siteUrl: string) {
  const { host, protocol } = new URL(siteUrl);
  return {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'user-agent': 'Stoppress',
  };
}
