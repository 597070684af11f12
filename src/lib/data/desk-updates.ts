import type { Body } from '../domain/body/blocks.ts';
import type { DeskByline, DeskUpdate, UpdateContent, UpdateHead } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import { hasSearch, statesOf, type UpdateWindow } from './desk.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Number of updates that the list is extended by. */
export const UPDATES_PER_PAGE = 30;

export const FIRST_WINDOW: UpdateWindow = { filter: 'work', words: '', most: UPDATES_PER_PAGE };

/** Returns the ids of updates whose rows are missing or outdated. */
export function staleIds(heads: UpdateHead[], known: DeskUpdate[]): string[] {
  const rows = new Map(known.map((row) => [row.id, row]));
  return heads.filter((head) => !sameHead(head, rows.get(head.id))).map((head) => head.id);
}

/** Returns the rows for the heads, in their order. Rows that are missing are left out until the next refetch. */
export function rowsForHeads(heads: UpdateHead[], rows: DeskUpdate[]): DeskUpdate[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return heads.flatMap((head) => byId.get(head.id) ?? []);
}

function sameHead(head: UpdateHead, row: DeskUpdate | undefined): boolean {
  // A photo that becomes ready changes neither the version nor, in a draft, the seq.
  const isSettled = row?.photos.every(({ state }) => state !== 'uploading');
  return (
    row?.version === head.version &&
    row.state === head.state &&
    row.seq === head.seq &&
    row.schedule_error_code === head.schedule_error_code &&
    isSettled === true
  );
}

/**
 * Whether a message about a version means that the row must be read again. Submitting, spiking and photo changes do
 * not increase the version, so the same version may still be a change.
 */
export function isRowOutdated(row: DeskUpdate | undefined, version: number): boolean {
  if (!row || row.version < version || row.photos.length > 0) return true;
  return row.version === version && row.number === null && row.state !== 'spiked';
}

/**
 * Updates a list with changed rows without a query: moves them to their positions and removes those that no longer
 * match. Returns undefined if only the database can tell which rows belong to the list.
 */
export function applyChangedRows(
  rows: DeskUpdate[],
  fresh: DeskUpdate[],
  { filter, words, most }: UpdateWindow,
): DeskUpdate[] | undefined {
  if (hasSearch({ filter, words })) return undefined;
  const states = statesOf(filter);
  const byId = new Map([...rows, ...fresh].map((row) => [row.id, row]));
  const matching = [...byId.values()].filter((row) => states.includes(row.state)).sort(byDeskOrder);
  if (rows.length >= most && matching.length < most) return undefined;
  return matching.slice(0, most);
}

/** Order of the database: updates without a number first, then by number, newest first. */
function byDeskOrder(a: DeskUpdate, b: DeskUpdate): number {
  if (a.number !== b.number) return (b.number ?? Infinity) - (a.number ?? Infinity);
  return Date.parse(b.created_at) - Date.parse(a.created_at);
}

/** A list that keeps its positions while a person uses it, and the number of new rows that it does not show. */
export type FrozenList<Row = DeskUpdate> = { rows: Row[]; waiting: number };

/**
 * Returns the current rows in their previous positions, so that nothing moves while a person points at it. A row that
 * left the list stays as last known. Rows below all others are added at once.
 * @param shown rows as displayed
 * @param now the list as it would be displayed from scratch
 * @param latest returns the last known state of a row that left the list
 */
export function mergeFrozenRows<Row extends { id: string }>(
  shown: Row[],
  now: Row[],
  latest: (id: string) => Row | undefined = () => undefined,
): FrozenList<Row> {
  const byId = new Map(now.map((row) => [row.id, row]));
  const ids = new Set(shown.map((row) => row.id));
  const below = now.slice(now.findLastIndex((row) => ids.has(row.id)) + 1);
  const added = below.length < now.length ? below : [];
  return {
    rows: [...shown.map((row) => byId.get(row.id) ?? latest(row.id) ?? row), ...added],
    waiting: now.filter((row) => !ids.has(row.id)).length - added.length,
  };
}

/** A version of an update as the desk sees it. */
export type DeskVersion = Version & {
  /** Display name of the person who saved it; null if the server did. */
  by: string | null;
  /** Display name of the person who redacted it. */
  redactedBy: string | null;
  /** Whether readers have seen it. */
  isPublic: boolean;
  /** The saved content, for restoring it. */
  content: UpdateContent | null;
  /** People of its byline with their current names. */
  people: DeskByline[];
};

/** Number of versions read at once. */
export const UPDATE_VERSIONS_PER_PAGE = 30;

/** Returns the versions of an update before a version, newest first. */
export async function readVersions(
  backend: BackendClient,
  update: string,
  before?: number,
): Promise<DeskVersion[]> {
  return (await versionRows(backend, update, before)).map(toVersion);
}

/** The person who saved a version. */
export type Saver = { id: string; name: string };

/**
 * Returns the person who saved the newest version of an update, if that is at least this version; null if it is not
 * known, or the server saved it.
 */
export async function readNewestSaver(
  backend: BackendClient,
  update: string,
  version: number,
): Promise<Saver | null> {
  const [row] = await dataOf(
    backend
      .from('desk_revisions')
      .select('created_by, by_name')
      .eq('update_id', update)
      .gte('version', version)
      .order('version', { ascending: false })
      .limit(1),
  );
  return row?.created_by && row.by_name ? { id: row.created_by, name: row.by_name } : null;
}

function versionRows(backend: BackendClient, update: string, before = 2 ** 31 - 1) {
  return dataOf(
    backend
      .from('desk_revisions')
      .select('*')
      .eq('update_id', update)
      .lt('version', before)
      .order('version', { ascending: false })
      .limit(UPDATE_VERSIONS_PER_PAGE),
  );
}

/** The generated types do not know that the database validates the content. */
function toVersion(row: Awaited<ReturnType<typeof versionRows>>[number]): DeskVersion {
  const { version, kind, note, created_at: at, redacted_at, redacted_reason } = row;
  const content = row.content as UpdateContent | null;
  const people = (row.people ?? []) as DeskByline[];
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    shown: content && shownContent(content, people),
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
    by: row.by_name,
    redactedBy: row.redacted_by_name,
    isPublic: row.public === true,
    content,
    people,
  };
}

function shownContent({ bylines: _, ...content }: UpdateContent, people: DeskByline[]): VersionContent {
  return { ...content, bylines: people.map(({ display_name }) => display_name) };
}

/** A text of the message from which an update was filed, as it was sent. */
export type FiledText = { text: string; written_at: string };

/** Returns the texts of the message of an update with those of its edits, oldest first; none if it is forgotten. */
export async function readFiledTexts(backend: BackendClient, update_id: string): Promise<FiledText[]> {
  // The generated types do not know the shape of the JSON.
  return (await dataOf(backend.rpc('read_filed_texts', { update_id }))) as FiledText[];
}

/** Returns the content of the first and of the current version. Null for a version whose content is gone. */
export async function readFirstVersion(
  backend: BackendClient,
  update: string,
): Promise<{ first: VersionContent | null; current: VersionContent | null }> {
  const rows = async (ascending: boolean) =>
    (
      await dataOf(
        backend
          .from('desk_revisions')
          .select('*')
          .eq('update_id', update)
          .order('version', { ascending })
          .limit(1),
      )
    ).map(toVersion);
  const [[first], [current]] = await Promise.all([rows(true), rows(false)]);
  const isChanged = first?.version !== current?.version;
  return { first: first?.shown ?? null, current: isChanged ? (current?.shown ?? null) : null };
}

/** Empty content that the first version is compared with. */
export const EMPTY_CONTENT: VersionContent = {
  headline: null,
  body: [] as Body,
  key_event: false,
  urgency: 'normal',
  verification: 'confirmed',
  attribution: null,
  dateline: null,
  occurred_at: null,
  bylines: [],
  desk_note: null,
};

/** Returns the update with the content of a version, for editing. */
export function withContentOf(update: DeskUpdate, { content, people }: DeskVersion): DeskUpdate {
  return content ? { ...update, ...content, bylines: people } : update;
}
