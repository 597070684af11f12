import type { UpdateWindow } from './read.ts';
import type { DeskUpdate, UpdateHead } from './update.ts';

/** Updates that the list grows by. */
export const PAGE = 30;

export const FIRST_WINDOW: UpdateWindow = { filter: 'work', most: PAGE };

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
  return row?.version === head.version && row.state === head.state;
}
