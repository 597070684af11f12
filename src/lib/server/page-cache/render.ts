import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { newRequestId, underRequest } from '../../../../packages/embedded-supabase/src/log/request-id.ts';
import { pack } from './compress.ts';
import type { Renderer } from './renderings.ts';

/**
 * Renders a page for everybody at once: as if the configured address had been asked for it by nobody in particular.
 * No header of a visitor reaches it. What is kept already is offered by its ETag: a photo's bytes need not be fetched
 * again to learn that readers may still see them.
 */
export function rendererOf(pages: RequestListener, siteUrl: string): Renderer {
  const headers = nobodyAt(siteUrl);
  return async (key, held) => {
    const etag = held?.headers.etag;
    const question = { ...headers, ...(etag ? { 'if-none-match': etag } : {}) };
    // Of nobody's request: many share it, and who waits for it first is chance. A page that fails quotes it.
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

/** The headers of nobody in particular who asks at the configured address. */
export function nobodyAt(siteUrl: string) {
  const { host, protocol } = new URL(siteUrl);
  return {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'user-agent': 'Stoppress',
  };
}
