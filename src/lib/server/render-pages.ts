import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { newRequestId, runWithRequestId } from 'embedded-supabase';
import inject from 'light-my-request';
import type { FetchPage } from '../publishing/coverage-folder/links.ts';
import { assertBuilt, ENTRY } from './build/build-id.ts';
import { compress } from './page-cache/cached-response.ts';
import type { Renderer } from './page-cache/renderings.ts';

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
    const response = await runWithRequestId(newRequestId(), () =>
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
function siteHeaders(siteUrl: string) {
  const { host, protocol } = new URL(siteUrl);
  return {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'user-agent': 'Stoppress',
  };
}

/** Astro's handler in middleware mode. Pages read `locals` as `Astro.locals`. */
type PagesHandler = (
  ...args: [...Parameters<RequestListener>, next?: undefined, locals?: Omit<App.Locals, 'messages'>]
) => void;

/** Loads the built pages. @throws NotBuilt */
export async function loadPages(): Promise<PagesHandler> {
  assertBuilt();
  // Must be set before the pages load: React's default is its slow development build.
  process.env.NODE_ENV ??= 'production';
  const { handler } = (await import(pathToFileURL(ENTRY).href)) as { handler: PagesHandler };
  return handler;
}

/**
 * Loads the built pages for rendering in this process, without a visitor and at a given time.
 * @throws NotBuilt
 */
export async function openPages(siteUrl: string): Promise<FetchPage> {
  const handler = await loadPages();
  const headers = siteHeaders(siteUrl);
  return async (path, at) => {
    const listener: RequestListener = (request, response) =>
      handler(request, response, undefined, { exported: { at } });
    const page = await inject(listener, { method: 'GET', url: path, headers });
    return { status: page.statusCode, body: page.body };
  };
}

/** Maximum number of live coverages that are rendered in advance. */
const LIVE_PAGES = 8;
const LIVE = /href="(\/live\/[a-z0-9-]+)"/g;
/** Retry interval and time limit of a page that fails, in milliseconds. */
const RETRY_MS = 500;
const TIMEOUT_MS = 60_000;

/**
 * Renders the front page and the live pages that it links to, before the first visitors arrive.
 * @returns false when a page could not be rendered in time; then an old server with cached pages should keep the port
 */
export async function warmPages(site: RequestListener, siteUrl: string): Promise<boolean> {
  const until = performance.now() + TIMEOUT_MS;
  const headers = siteHeaders(siteUrl);

  async function read(url: string): Promise<string | undefined> {
    for (;;) {
      const { statusCode, payload } = await inject(site, { method: 'GET', url, headers });
      if (statusCode < 500) return payload;
      if (performance.now() > until) return undefined;
      await wait(RETRY_MS);
    }
  }

  const front = await read('/');
  if (front === undefined) return false;
  const live = new Set(Array.from(front.matchAll(LIVE), ([, path = '']) => path));
  for (const path of [...live].slice(0, LIVE_PAGES)) {
    if ((await read(path)) === undefined) return false;
  }
  return true;
}
