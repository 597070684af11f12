import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { newRequestId, underRequest } from '../../../../packages/embedded-supabase/src/log/request-id.ts';
import { pack } from './compress.ts';
import type { Renderer } from './renderings.ts';

/**
 * Renders a page in-process for all readers: a GET of the configured address without any header of a visitor. If a
 * response is stored, its ETag is sent, so that an unchanged photo is not fetched from the backend again.
 */
export function rendererOf(pages: RequestListener, siteUrl: string): Renderer {
  const headers = nobodyAt(siteUrl);
  return async (key, held) => {
    const etag = held?.headers.etag;
    const question = { ...headers, ...(etag ? { 'if-none-match': etag } : {}) };
    // A request id of its own: several requests share the rendering, and an error page shows this id.
    const answer = await underRequest(newRequestId(), () =>
      inject(pages, { method: 'GET', url: key, headers: question }),
    );
    const given = Object.fromEntries(
      Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    if (held && answer.statusCode === 304) return { ...held, headers: { ...held.headers, ...given } };
    return {
      status: answer.statusCode,
      headers: given,
      bodies: await pack(answer.rawPayload, answer.headers['content-type']?.toString()),
    };
  };
}

/** Request headers for the configured address, without headers of a visitor. */
export function nobodyAt(siteUrl: string) {
  const { host, protocol } = new URL(siteUrl);
  return {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'user-agent': 'Stoppress',
  };
}
