import { LIMITS } from '../limits.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { readKeyEventLines, readUpdatesById } from '../updates/read.ts';
import type { KeyEvent, ReaderUpdate } from '../updates/update.ts';
import type { ReaderCoverage } from './coverage.ts';
import { isSlug } from './slug.ts';

const COLUMNS =
  `id, slug, kicker, headline, standfirst, summary, summary_at, state, time_zone, language, starts_at,
  ended_at, published_at, revised_at, pinned_update, reader_follow, reader_interval, seq, update_count, version,
  topics!coverage_topics(slug, name)` as const;

/** Where a slug leads. */
export type Found =
  | { kind: 'found'; coverage: ReaderCoverage }
  | { kind: 'moved'; slug: string }
  | { kind: 'gone' }
  | { kind: 'not_found' };

/** The coverage with a slug; where there is none, whether it was renamed or withdrawn. */
export async function findCoverage(slug: string): Promise<Found> {
  if (!isSlug(slug)) return { kind: 'not_found' };
  const row = await dataOf(reader().from('coverages').select(COLUMNS).eq('slug', slug).maybeSingle());
  // The database checks the summary's blocks, and its policies the state.
  if (row) return { kind: 'found', coverage: row as unknown as ReaderCoverage };
  const led = (await dataOf(reader().rpc('resolve_slug', { slug }))) as Led;
  if (led === null) return { kind: 'not_found' };
  if (led.standing === 'withdrawn') return { kind: 'gone' };
  // Renamed between the two calls: its new address will be found.
  return { kind: 'moved', slug: led.slug };
}

type Led = { slug: string; standing: 'public' | 'withdrawn' } | null;

/** The newest key events of a coverage, as many as its page shows, and whether there are more. */
export async function readKeyEventList(coverageId: string): Promise<{ events: KeyEvent[]; more: boolean }> {
  const events = await readKeyEventLines(coverageId, LIMITS.key_events_shown + 1);
  return { events: events.slice(0, LIMITS.key_events_shown), more: events.length > LIMITS.key_events_shown };
}

/** The update that is held at the top of a coverage, or null. */
export async function readPinned(coverage: ReaderCoverage): Promise<ReaderUpdate | null> {
  if (!coverage.pinned_update) return null;
  const [update] = await readUpdatesById([coverage.pinned_update]);
  return update?.state === 'published' ? update : null;
}
