import type { APIRoute } from 'astro';
import { declarePage, tags } from '../../lib/http/cache-policy.ts';
import { plainAbsence } from '../../lib/http/responses.ts';
import {
  listEntries,
  parseSitemapName,
  partEntries,
  readSitemapPages,
  readSitemapPart,
  type SitemapName,
  writeSitemap,
  xmlResponse,
} from '../../lib/publishing/sitemaps.ts';

/** One part of the sitemap. */
export const GET: APIRoute = async ({ locals, params }) => {
  const part = parseSitemapName(params.part ?? '');
  const entries = part && (await read(part));
  const cacheTags = [tags.site, tags.sitemaps];
  if (!entries) return plainAbsence(locals.messages, 'not_found', cacheTags);
  const headers = new Headers();
  declarePage(headers, cacheTags, params.part, entries);
  return xmlResponse(writeSitemap(entries), headers);
};

async function read(part: SitemapName) {
  if (part === 'pages') return listEntries(await readSitemapPages());
  const rows = await readSitemapPart(part);
  return rows && partEntries(rows);
}
