import { type Body, excerpt } from '../domain/body/blocks.ts';
import type { Enums } from '../domain/database.types.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { type Clock, dayKey } from '../domain/time.ts';
import type { KeyEvent, ReaderUpdate, UpdateNote } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** Columns of a photo as readers see it. */
export const PHOTO_COLUMNS =
  'id, width, height, renditions, placeholder_colour, alt, caption, credit' as const;

/** The photos of an update as readers see them. */
export const READER_PHOTOS = `update_photos(photos(${PHOTO_COLUMNS}))` as const;

/** Columns of a public update with its bylines and photos, in one query. */
const COLUMNS = `id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
  occurred_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq,
  update_bylines(position, people(handle, display_name)),
  ${READER_PHOTOS}` as const;

/** Maximum number of characters of a key event's line without a headline. */
const LINE_LENGTH = 100;

/** Columns of an update's photos that toKeyEvent() needs. */
const LINE_PHOTOS = 'update_photos(photos(alt))' as const;

type LineRow = Pick<Row, 'number' | 'headline' | 'body' | 'published_at'> & {
  update_photos: { photos: { alt: string | null } | null }[];
};

const updates = () => readerClient().from('updates').select(COLUMNS);
type Row = NonNullable<Awaited<ReturnType<typeof updates>>['data']>[number];

/**
 * Returns the updates of a coverage with numbers from `first` to `last`, inclusive, newest first. Includes
 * tombstones.
 */
export async function readUpdatesBetween(coverageId: string, first: number, last: number) {
  return withNotes(
    await dataOf(
      updates()
        .eq('coverage_id', coverageId)
        .gte('number', first)
        .lte('number', last)
        .order('number', { ascending: false }),
    ),
  );
}

/** Returns an update of a coverage by its number, or null. */
export async function readUpdate(coverageId: string, number: number): Promise<ReaderUpdate | null> {
  const [update] = await readUpdatesBetween(coverageId, number, number);
  return update ?? null;
}

/** Returns updates by id, newest first. Leaves out those that readers may not see. */
export async function readUpdatesById(ids: string[]): Promise<ReaderUpdate[]> {
  if (ids.length === 0) return [];
  return withNotes(await dataOf(updates().in('id', ids).order('number', { ascending: false })));
}

const publishedIn = (coverageId: string) => updates().eq('coverage_id', coverageId).eq('state', 'published');

async function newestOf(query: ReturnType<typeof publishedIn>): Promise<ReaderUpdate | null> {
  const [update] = await withNotes(await dataOf(query.order('number', { ascending: false }).limit(1)));
  return update ?? null;
}

/** Returns the newest published update of a coverage that is marked as urgent, or null. */
export const readUrgentUpdate = (coverageId: string) =>
  newestOf(publishedIn(coverageId).eq('urgency', 'urgent'));

/** Returns the newest published updates of a coverage that are marked as urgent, at most `most`. */
export const readUrgentUpdates = async (coverageId: string, most: number): Promise<ReaderUpdate[]> =>
  withNotes(
    await dataOf(
      publishedIn(coverageId).eq('urgency', 'urgent').order('number', { ascending: false }).limit(most),
    ),
  );

/** Returns the newest published update of a coverage, or null. */
export const readNewestUpdate = (coverageId: string) => newestOf(publishedIn(coverageId));

/** Returns at most `most` key events with numbers below `before`, newest first. */
export async function readKeyEvents(coverageId: string, before: number, most: number) {
  return withNotes(
    await dataOf(
      publishedIn(coverageId)
        .is('key_event', true)
        .lt('number', before)
        .order('number', { ascending: false })
        .limit(most),
    ),
  );
}

const publishedLinesIn = (coverageId: string) =>
  readerClient()
    .from('updates')
    .select(`number, headline, body, published_at, ${LINE_PHOTOS}`)
    .eq('coverage_id', coverageId)
    .eq('state', 'published');

/** Returns the newest key events as lines. */
export async function readKeyEventLines(coverageId: string, most: number): Promise<KeyEvent[]> {
  const query = publishedLinesIn(coverageId).is('key_event', true);
  return (await dataOf(query.order('number', { ascending: false }).limit(most))).map(toKeyEvent);
}

/** Returns the newest published updates as lines. */
export async function readNewestLines(coverageId: string, most: number): Promise<KeyEvent[]> {
  const query = publishedLinesIn(coverageId);
  return (await dataOf(query.order('number', { ascending: false }).limit(most))).map(toKeyEvent);
}

/** Returns the newest key events as lines, each with its photos. */
export async function readKeyEventsWithPhotos(coverageId: string, most: number) {
  const query = readerClient()
    .from('updates')
    .select(`number, headline, body, published_at, ${READER_PHOTOS}`)
    .eq('coverage_id', coverageId)
    .eq('state', 'published')
    .is('key_event', true);
  const rows = await dataOf(query.order('number', { ascending: false }).limit(most));
  return rows.map((row) => ({ event: toKeyEvent(row), photos: readerPhotosOf(row) }));
}

/** Photos of an update's row, without those that readers may not see: they are null. */
export function readerPhotosOf({ update_photos }: Pick<Row, 'update_photos'>): ReaderPhoto[] {
  // Policies show readers only photos that are ready and have an alt text, which the types do not know.
  return update_photos.flatMap(({ photos }) => (photos ? [photos as ReaderPhoto] : []));
}

/** Returns the newest published urgent update of a coverage as a line, or null. */
export async function readUrgentEvent(coverageId: string): Promise<KeyEvent | null> {
  const query = publishedLinesIn(coverageId).eq('urgency', 'urgent');
  const row = await dataOf(query.order('number', { ascending: false }).limit(1).maybeSingle());
  return row && toKeyEvent(row);
}

/** Returns the line of an update in a list: its headline, its beginning, or the alt texts of its photos. May be empty. */
export function toKeyEvent({ number, headline, body, published_at, update_photos }: LineRow): KeyEvent {
  const photos = update_photos.flatMap((row) => row.photos ?? []);
  const line = headline ?? excerpt(body as Body, LINE_LENGTH, photos);
  return { number: number ?? 0, line, published_at: published_at ?? '' };
}

/** Returns updates as lines in the order of `ids`, each with its coverage. */
export async function readUpdateLines(ids: string[]) {
  if (ids.length === 0) return [];
  const rows = await dataOf(
    readerClient()
      .from('updates')
      .select(
        `id, number, headline, body, published_at, ${LINE_PHOTOS},
        coverage:coverages!updates_coverage_id_fkey(slug, headline, time_zone, language)`,
      )
      .in('id', ids)
      .eq('state', 'published'),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [{ ...toKeyEvent(row), coverage: row.coverage }] : [];
  });
}

/** Adds the public notes. Reads them only for revised updates, because few updates have any. */
async function withNotes(rows: Row[]): Promise<ReaderUpdate[]> {
  const revised = rows.filter((row) => row.revised_at && row.state === 'published').map((row) => row.id);
  if (revised.length === 0) return rows.map((row) => toReaderUpdate(row, []));
  const notes = await dataOf(
    readerClient()
      .from('update_notes')
      .select('update_id, version, kind, note, at:created_at')
      .in('update_id', revised)
      .order('version'),
  );
  return rows.map((row) =>
    toReaderUpdate(
      row,
      notes
        .filter((note) => note.update_id === row.id)
        .map(({ version, kind, note, at }) => ({ version, kind, note, at }) as UpdateNote),
    ),
  );
}

/** The generated types do not know that the database validates bodies and the columns of public updates. */
function toReaderUpdate({ update_bylines, update_photos, ...row }: Row, notes: UpdateNote[]): ReaderUpdate {
  const bylines = update_bylines
    .toSorted((a, b) => a.position - b.position)
    .flatMap(({ people }) => (people ? [people] : []));
  return {
    ...(row as Omit<ReaderUpdate, 'bylines' | 'notes' | 'photos'>),
    bylines,
    notes,
    photos: readerPhotosOf({ update_photos }),
  };
}

/** Number of versions that a page shows. */
const HISTORY_LENGTH = 50;

const HISTORY_COLUMNS = `version, kind, note, at:created_at, redacted_at, redacted_reason,
  headline, body, key_event, urgency, verification, attribution, dateline, occurred_at, bylines` as const;

/** Public history of an update: its newest versions, oldest first, and whether these are all. */
export type UpdateHistory = { versions: Version[]; isComplete: boolean };

/** Returns the history of a published update. Empty for any other update. */
export async function readHistory(id: string): Promise<UpdateHistory> {
  const rows = await history(id);
  return {
    versions: rows.slice(0, HISTORY_LENGTH).map(toVersion).toReversed(),
    isComplete: rows.length <= HISTORY_LENGTH,
  };
}

const history = (id: string) =>
  dataOf(
    readerClient()
      .from('update_history')
      .select(HISTORY_COLUMNS)
      .eq('update_id', id)
      .order('version', { ascending: false })
      .limit(HISTORY_LENGTH + 1),
  );

/** The generated types do not know the columns of the view. */
function toVersion(row: Awaited<ReturnType<typeof history>>[number]): Version {
  const { version, kind, note, at, redacted_at, redacted_reason, ...words } = row;
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    shown: row.body ? { ...(words as unknown as VersionContent), body: row.body as Body } : null,
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
  };
}

/**
 * Part of a live page outside the list of updates. `top` is the urgent and the newest update above the list, `settings`
 * stands for the page as a whole.
 */
type PagePart = 'top' | 'summary' | 'pinned' | 'key-events' | 'settings';

/** Consecutive changes of a coverage, with the current state of what they changed. */
export type Changes = {
  /** Seq of the last change included. */
  through: number;
  /** Whether there are more changes after `through`. */
  more: boolean;
  /** Updates that changed, each once, newest first. */
  updates: ReaderUpdate[];
  parts: PagePart[];
};

/** The coverage as read before its changes. `seq` is the upper limit of the changes that are read. */
type KnownCoverage = { id: string; seq: number; pinned_update: string | null };
type Change = { seq: number; update_id: string | null; kind: Enums<'change_kind'> };

/**
 * Whether a reader's page must reload because too many changes are missing, or because its seq is higher than the
 * database's (after a restore of a backup).
 */
export function isTooFarBehind(seq: number, after: number): boolean {
  return after > seq || seq - after > LIMITS.changes_behind;
}

/**
 * Reads the changes after a seq, at most 50. The updates are read after the coverage's seq, so they may be newer than
 * it but not older. Newer ones do no harm: the page compares the seq of each update.
 */
export async function readChanges(coverage: KnownCoverage, after: number): Promise<Changes> {
  if (coverage.seq === after) return { through: after, more: false, updates: [], parts: [] };
  const changes = await dataOf(
    readerClient()
      .from('coverage_changes')
      .select('seq, update_id, kind')
      .eq('coverage_id', coverage.id)
      .gt('seq', after)
      .lte('seq', coverage.seq)
      .order('seq')
      .limit(LIMITS.changes_per_answer),
  );
  const changedIds = changes.filter(({ kind }) => kind !== 'pin').flatMap(({ update_id }) => update_id ?? []);
  const updates = await readUpdatesById([...new Set(changedIds)]);
  const through = changes.at(-1)?.seq ?? after;
  return { through, more: through < coverage.seq, updates, parts: changedParts(coverage, changes, updates) };
}

/**
 * Returns the parts of the page to send again. Earlier contents are not read, so any edit may have ended a key event.
 */
export function changedParts(
  coverage: KnownCoverage,
  changes: Change[],
  updates: ReaderUpdate[],
): PagePart[] {
  const has = (...kinds: Change['kind'][]) => changes.some(({ kind }) => kinds.includes(kind));
  const edited = has('revision', 'clarification', 'correction', 'withdrawal');
  const parts: PagePart[] = [];
  // An older update counts too, because any edit may have marked or unmarked it as urgent.
  if (updates.length > 0 || has('state')) parts.push('top');
  if (has('settings')) parts.push('settings');
  if (has('summary')) parts.push('summary');
  if (has('pin') || updates.some(({ id }) => id === coverage.pinned_update)) parts.push('pinned');
  if (edited || updates.some(({ key_event }) => key_event)) parts.push('key-events');
  return parts;
}

/** Number of corrections on one page. */
const CORRECTIONS_PER_PAGE = 30;

/**
 * A correction, clarification or withdrawal. For a withdrawn coverage, only the time is public (`of` is null); a
 * withdrawn update has no headline. `list_position` is the cursor of the list: microseconds since 1970.
 */
type Correction = ReturnType<typeof toCorrection>;

/**
 * Reads one page of corrections, newest first.
 * @param before cursor of the page; without it, the newest page
 */
export async function readCorrections(before?: number) {
  const rows = await dataOf(
    readerClient().rpc('list_corrections', { before_position: before, max_rows: CORRECTIONS_PER_PAGE + 1 }),
  );
  const corrections = rows.slice(0, CORRECTIONS_PER_PAGE).map(toCorrection);
  return {
    corrections,
    older: rows.length > CORRECTIONS_PER_PAGE ? corrections.at(-1)?.list_position : undefined,
  };
}

type CorrectionRow = {
  [name in 'note' | 'headline' | 'slug' | 'coverage_headline' | 'language']: string | null;
} & { number: number | null; list_position: number; at: string; kind: Enums<'revision_kind'> };

function toCorrection(row: CorrectionRow) {
  const { list_position, at, kind, note, number, headline, slug, coverage_headline, language } = row;
  const isPublic = note && number && slug && coverage_headline && language;
  return {
    list_position,
    at,
    kind: kind as Exclude<CorrectionRow['kind'], 'revision'>,
    of: isPublic
      ? {
          number,
          headline,
          note,
          slug,
          coverage: coverage_headline,
          language,
        }
      : null,
  };
}

/** Groups corrections by day in the clock's zone. */
export function byDay(corrections: Correction[], clock: Clock): { day: string; corrections: Correction[] }[] {
  const days: { day: string; corrections: Correction[] }[] = [];
  for (const correction of corrections) {
    const day = dayKey(correction.at, clock);
    const last = days.at(-1);
    if (last?.day === day) last.corrections.push(correction);
    else days.push({ day, corrections: [correction] });
  }
  return days;
}
