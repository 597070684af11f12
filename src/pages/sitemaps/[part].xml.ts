import type { APIRoute } from 'astro';
import { declarePage, tags } from '../../lib/http/cache-policy.ts';
import { plainAbsence } from '../../lib/http/responses.ts';
import {
  foundEntries,
  listEntries,
  type Part,
  readFound,
  readLists,
  readPart,
  writeAddresses,
  xmlAnswer,
} from '../../lib/publishing/sitemaps.ts';

/** One part of the sitemap. */
export const GET: APIRoute = async ({ params }) => {
  const part = readPart(params.part ?? '');
  const entries = part && (await read(part));
  const cacheTags = [tags.site, tags.lists];
  if (!entries) return plainAbsence('not_found', cacheTags);
  const headers = new Headers();
  declarePage(headers, cacheTags, params.part, entries);
  return xmlAnswer(await writeAddresses(entries), headers);
};

async function read(part: Part) {
  if (part === 'pages') return listEntries(await readLists());
  const found = await readFound(part);
  return found && foundEntries(found);
}
