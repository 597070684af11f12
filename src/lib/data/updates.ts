import { type Body, excerpt } from '../domain/body/blocks.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import type { KeyEvent, ReaderUpdate, UpdateNote } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import { reader as words } from '../i18n/reader.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** What a reader may see of an update, with the people under it and its photos that are ready: one query whatever the number of rows. */
const COLUMNS = `id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
  occurred_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq,
  update_bylines(position, people(handle, display_name)),
  update_photos(photos(id, width, height, prints, colour, alt, caption, credit))` as const;

/** Characters of a key event's line when it has no headline. */
const LINE = 100;

/** What toKeyEvent() needs of an update's photos. */
export const LINE_PHOTOS = 'update_photos(photos(alt))' as const;

type LineRow = Pick<Row, 'number' | 'headline' | 'body' | 'published_at'> & {
  update_photos: { photos: { alt: string | null } | null }[];
};

const updates = () => reader().from('updates').select(COLUMNS);
type Row = NonNullable<Awaited<ReturnType<typeof updates>>['data']>[number];

/** The updates of a coverage with these numbers, both included, newest first; tombstones keep their places. */
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

/** One update of a coverage by its number, or null. */
export async function readUpdate(coverageId: string, number: number): Promise<ReaderUpdate | null> {
  const [update] = await readUpdatesBetween(coverageId, number, number);
  return update ?? null;
}

/** These updates, in the order of their numbers; what a reader may not see is not among them. */
export async function readUpdatesById(ids: string[]): Promise<ReaderUpdate[]> {
  if (ids.length === 0) return [];
  return withNotes(await dataOf(updates().in('id', ids).order('number', { ascending: false })));
}

/** Key events, whole, newest first: at most `most`, all with numbers below `before`. */
export async function readKeyEvents(coverageId: string, before: number, most: number) {
  return withNotes(
    await dataOf(
      updates()
        .eq('coverage_id', coverageId)
        .eq('state', 'published')
        .is('key_event', true)
        .lt('number', before)
        .order('number', { ascending: false })
        .limit(most),
    ),
  );
}

/** The newest key events as lines, at most `most`. */
export async function readKeyEventLines(coverageId: string, most: number): Promise<KeyEvent[]> {
  const rows = await dataOf(
    reader()
      .from('updates')
      .select(`number, headline, body, published_at, ${LINE_PHOTOS}`)
      .eq('coverage_id', coverageId)
      .eq('state', 'published')
      .is('key_event', true)
      .order('number', { ascending: false })
      .limit(most),
  );
  return rows.map(toKeyEvent);
}

/** An update as a list names it: by its headline, by how it begins, or by what its photos show. */
export function toKeyEvent({ number, headline, body, published_at, update_photos }: LineRow): KeyEvent {
  const photos = update_photos.flatMap((row) => row.photos ?? []);
  const line = headline ?? (excerpt(body as Body, LINE, photos) || words.update(number ?? 0));
  return { number: number ?? 0, line, published_at: published_at ?? '' };
}

/** These updates as lines, in the order of their ids here, each with the coverage it stands in. */
export async function readLinesById(ids: string[]) {
  if (ids.length === 0) return [];
  const rows = await dataOf(
    reader()
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

/** Notes come from a view, and few updates have any: they are asked for where something was revised. */
async function withNotes(rows: Row[]): Promise<ReaderUpdate[]> {
  const revised = rows.filter((row) => row.revised_at && row.state === 'published').map((row) => row.id);
  if (revised.length === 0) return rows.map((row) => toReaderUpdate(row, []));
  const notes = await dataOf(
    reader()
      .from('update_notes')
      .select('update_id, version, kind, note, at')
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

/** What readers may not see of its photos is not among them; the database makes the rest whole. */
function readerPhotos(rows: { photos: Row['update_photos'][number]['photos'] }[]): ReaderPhoto[] {
  return rows.flatMap(({ photos }) => (photos ? [photos as ReaderPhoto] : []));
}

/** The database checks bodies and which columns a public update has: its types cannot say so. */
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

/** The newest versions that a page tells of. */
export const TOLD = 50;

const HISTORY_COLUMNS = `version, kind, note, at, redacted_at, redacted_reason,
  headline, body, key_event, urgency, verification, attribution, dateline, occurred_at, bylines` as const;

/** What readers may see of how an update came to say what it says: its newest versions in their order, and whether that is all. */
export type UpdateHistory = { versions: Version[]; isWhole: boolean };

/** @param id of a published update: of any other there is nothing to be had */
export async function readHistory(id: string): Promise<UpdateHistory> {
  const rows = await history(id);
  return { versions: rows.slice(0, TOLD).map(toVersion).toReversed(), isWhole: rows.length <= TOLD };
}

const history = (id: string) =>
  dataOf(
    reader()
      .from('update_history')
      .select(HISTORY_COLUMNS)
      .eq('update_id', id)
      .order('version', { ascending: false })
      .limit(TOLD + 1),
  );

/** A view's columns have no types of their own: the database has checked what was saved. */
function toVersion(row: Awaited<ReturnType<typeof history>>[number]): Version {
  const { version, kind, note, at, redacted_at, redacted_reason, ...words } = row;
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    shown: row.body ? { ...(words as unknown as VersionContent), body: row.body as Body } : null,
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
  };
}
