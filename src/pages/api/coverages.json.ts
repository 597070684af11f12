import type { APIRoute } from 'astro';
import { readCoverageList } from '../../lib/data/coverage-list.ts';
import { declarePage, tags } from '../../lib/http/cache-policy.ts';

/** The public coverages, for other programs (docs/embedding.md). The same for all readers, unlike the rest of `/api`. */
export const GET: APIRoute = async () => {
  const coverages = await readCoverageList();
  const headers = new Headers();
  declarePage(headers, [tags.site, tags.lists], coverages);
  return Response.json({ coverages }, { headers });
};
