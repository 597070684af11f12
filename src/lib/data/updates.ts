import { type Body, excerpt } from '../domain/body/blocks.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import type { KeyEvent, ReaderUpdate, UpdateNote } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** The photos of an update as readers see them. */
export const READER_PHOTOS =
  'update_photos(photos(id, width, height, renditions, placeholder_colour, alt, caption, credit))' as const;

/** Columns of a public update with its bylines and photos, in one query. */
const COLUMNS = `id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
  occurred_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq,
  update_bylines(position, people(handle, display_name)),
  ${READER_PHOTOS}` as const;

/** Maximum number of characters of a key event's line without a headline. */
const LINE_LENGTH = 100;

/** Columns of an update's photos that toKeyEvent() needs. */
export const LINE_PHOTOS = 'update_photos(photos(alt))' as const;

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

/** Photos that readers may not see are null here. */
function readerPhotos(rows: { photos: Row['update_photos'][number]['photos'] }[]): ReaderPhoto[] {
  return rows.flatMap(({ photos }) => (photos ? [photos as ReaderPhoto] : []));
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
    photos: readerPhotos(update_photos),
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
