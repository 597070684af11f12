import { livePath } from '../domain/coverages.ts';
import { type PublicState, publicStatus } from '../domain/reader-coverage.ts';
import { siteUrl } from './environment.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** Number of coverages in the list for other programs. */
const LISTED = 100;

/**
 * Returns the public coverages for other programs, newest first: coming ones, then those that began last.
 * `updated_at` is the time of the newest update, or else of the beginning; null before that.
 */
export async function readCoverageList() {
  const rows = await dataOf(
    readerClient()
      .from('coverages')
      .select('slug, headline, state, published_at, last_published_at')
      // The order of an index.
      .order('published_at', { ascending: false, nullsFirst: true })
      .limit(LISTED),
  );
  return rows.map(({ slug, headline, state, published_at, last_published_at }) => ({
    slug,
    title: headline,
    url: siteUrl(livePath(slug)),
    // Policies show readers only public coverages, which the types do not know.
    status: publicStatus(state as PublicState),
    updated_at: last_published_at ?? published_at,
  }));
}
