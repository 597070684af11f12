import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import inject from 'light-my-request';
import { SERVER } from '../i18n/cli.ts';
import type { FetchPage } from '../publishing/coverage-folder/links.ts';
import { NotBuilt } from './build/build-id.ts';
import { siteHeaders } from './page-cache/render.ts';

const ENTRY = resolve(import.meta.dirname, '../../../dist/server/entry.mjs');

type PagesHandler = (
  ...args: [...Parameters<RequestListener>, next?: undefined, locals?: App.Locals]
) => void;

/**
 * Loads the built pages for rendering in this process, without a visitor and at a given time.
 * @throws NotBuilt
 */
export async function openPages(siteUrl: string): Promise<FetchPage> {
  if (!existsSync(ENTRY)) throw new NotBuilt(SERVER.notBuilt);
  // Must be set before the pages load: React's default is its slow development build.
  process.env.NODE_ENV ??= 'production';
  const { handler } = (await import(pathToFileURL(ENTRY).href)) as { handler: PagesHandler };
  const headers = siteHeaders(siteUrl);
  return async (path, at) => {
    const kept: RequestListener = (request, response) =>
      handler(request, response, undefined, { exported: { at } });
    const answer = await inject(kept, { method: 'GET', url: path, headers });
    return { status: answer.statusCode, body: answer.body };
  };
}
