import type { DeskUpdate, UpdateHead } from '../domain/updates.ts';
import { isSought, statesOf, type UpdateWindow } from './desk.ts';

/** Updates that the list grows by. */
export const PAGE = 30;

export const FIRST_WINDOW: UpdateWindow = { filter: 'work', words: '', most: PAGE };

/** The ids of the heads whose rows are not known, or not as they are now. */
export function staleIds(heads: UpdateHead[], known: DeskUpdate[]): string[] {
  const rows = new Map(known.map((row) => [row.id, row]));
  return heads.filter((head) => !sameHead(head, rows.get(head.id))).map((head) => head.id);
}

/** The rows of the heads, in their order. One that has vanished meanwhile is left out until the next look. */
export function rowsOf(heads: UpdateHead[], rows: DeskUpdate[]): DeskUpdate[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return heads.flatMap((head) => byId.get(head.id) ?? []);
}

function sameHead(head: UpdateHead, row: DeskUpdate | undefined): boolean {
  // A photo that becomes ready leaves the version alone; of what readers see it takes a seq.
  const isSettled = row?.photos.every(({ state }) => state !== 'arriving');
  return (
    row?.version === head.version &&
    row.state === head.state &&
    row.seq === head.seq &&
    row.schedule_refusal === head.schedule_refusal &&
    isSettled === true
  );
}

/**
 * Whether a message that there is a version of an update tells more than its row. Submitting, spiking and whatever
 * becomes of a photo leave the version alone, so of such rows the same version may be news.
 */
export function isNews(row: DeskUpdate | undefined, version: number): boolean {
  if (!row || row.version < version || row.photos.length > 0) return true;
  return row.version === version && row.number === null && row.state !== 'spiked';
}

/**
 * The list once some rows are as they are now: each in its place, or gone when it does not belong to the window any
 * more. Undefined when only the database can tell what comes in at its end.
 */
export function placed(
  rows: DeskUpdate[],
  fresh: DeskUpdate[],
  { filter, words, most }: UpdateWindow,
): DeskUpdate[] | undefined {
  if (isSought({ filter, words })) return undefined;
  const states = statesOf(filter);
  const byId = new Map([...rows, ...fresh].map((row) => [row.id, row]));
  const belonging = [...byId.values()].filter((row) => states.includes(row.state)).sort(inOrder);
  if (rows.length >= most && belonging.length < most) return undefined;
  return belonging.slice(0, most);
}

/** The order in which the database gives them: what has no number yet first, then by number, the newest first. */
function inOrder(a: DeskUpdate, b: DeskUpdate): number {
  if (a.number !== b.number) return (b.number ?? Infinity) - (a.number ?? Infinity);
  return Date.parse(b.filed_at) - Date.parse(a.filed_at);
}

/** A list that stands still while somebody uses it: its rows as they are now, and how many came that it does not show. */
export type HeldList<Row = DeskUpdate> = { rows: Row[]; waiting: number };

/**
 * The rows of a list that was shown before, in their old places. What has left the list meanwhile stays as it was last
 * known: nothing moves under a finger. What comes below all of them moves nothing, and is shown at once.
 * @param shown the rows as they stood
 * @param now the list as it would be
 * @param latest what is known since of a row that has left
 */
export function heldRows<Row extends { id: string }>(
  shown: Row[],
  now: Row[],
  latest: (id: string) => Row | undefined = () => undefined,
): HeldList<Row> {
  const byId = new Map(now.map((row) => [row.id, row]));
  const ids = new Set(shown.map((row) => row.id));
  const below = now.slice(now.findLastIndex((row) => ids.has(row.id)) + 1);
  const added = below.length < now.length ? below : [];
  return {
    rows: [...shown.map((row) => byId.get(row.id) ?? latest(row.id) ?? row), ...added],
    waiting: now.filter((row) => !ids.has(row.id)).length - added.length,
  };
}
