import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { pack } from './pack.ts';
import type { Renderer } from './renderings.ts';

/**
 * Renders a page for everybody at once: as if the configured address had been asked for it by nobody in particular.
 * No header of a visitor reaches it.
 */
export function rendererOf(pages: RequestListener, siteUrl: string): Renderer {
  const { host, protocol } = new URL(siteUrl);
  const headers = {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'user-agent': 'Stoppress',
  };
  return async (key) => {
    const answer = await inject(pages, { method: 'GET', url: key, headers });
    const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(given),
      bodies: await pack(answer.rawPayload, answer.headers['content-type']?.toString()),
    };
  };
}
