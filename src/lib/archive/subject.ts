import { clockOf, type ReaderCoverage } from '../coverage/coverage.ts';
import { findCoverage } from '../coverage/read.ts';
import { Refused, refusal } from '../http/errors.ts';
import { readSite, type Site } from '../site/read.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { EXPORT } from '../text/commands.ts';
import type { Clock } from '../time/clock.ts';
import type { Kept } from './places.ts';

/** What a folder is made of, as readers see it at this moment. */
export type Subject = Kept & {
  coverage: ReaderCoverage;
  site: Site;
  clock: Clock;
  /** The last change that readers saw: the folder's now, whenever it is made. */
  at: Date;
};

/**
 * The coverage with a slug, or with what has become of it.
 * @throws Refused where readers have no such page
 */
export async function readSubject(slug: string): Promise<Subject> {
  const found = await findCoverage(slug);
  if (found.kind === 'moved') return readSubject(found.slug);
  if (found.kind === 'gone') throw new Refused(refusal('gone', { sentence: EXPORT.withdrawn(slug) }));
  if (found.kind === 'not_found') throw new Refused(refusal('not_found', { sentence: EXPORT.missing(slug) }));
  const { coverage } = found;
  if (coverage.state === 'scheduled')
    throw new Refused(refusal('bad_state', { sentence: EXPORT.notBegun(slug) }));
  const [site, slugs, changes] = await Promise.all([
    readSite(),
    dataOf(reader().from('coverage_slugs').select('slug').eq('coverage_id', coverage.id)),
    dataOf(
      reader()
        .from('coverage_changes')
        .select('at')
        .eq('coverage_id', coverage.id)
        .order('seq', { ascending: false })
        .limit(1),
    ),
  ]);
  const at = changes[0]?.at ?? coverage.published_at;
  return {
    slug: coverage.slug,
    slugs: slugs.map((row) => row.slug),
    update_count: coverage.update_count,
    coverage,
    site,
    clock: clockOf(coverage),
    at: at ? new Date(at) : new Date(0),
  };
}

/** Nothing that readers see has changed between the two. */
export const isSame = (one: Subject, other: Subject): boolean =>
  one.slug === other.slug && one.coverage.seq === other.coverage.seq && one.site.seq === other.site.seq;
