import type { WritableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import { placed, rowsOf, staleIds } from '../../lib/desk/list.ts';
import {
  readCounts,
  readCoverage,
  readHeads,
  type UpdateCounts,
  type UpdateWindow,
  updatesById,
} from '../../lib/desk/read.ts';
import { readRoster } from '../../lib/desk/roster.ts';
import type { DeskUpdate } from '../../lib/desk/update.ts';
import { type Code, Refused, refusal } from '../../lib/http/errors.ts';
import type { DeskBackend } from '../browser/desk-backend.ts';
import { refusalOf } from './refusal-of.ts';
import type { Wanted } from './wanted.ts';

/** How the desk stands to the newsroom: whether it is reached, and when it last was. */
export type Connection = {
  state: 'current' | 'behind' | 'signed_out' | 'not_yours';
  /** When it was last reached. */
  at: string;
  /** When everything was last looked at. */
  lookedAt: string;
};

/** What a look finds. */
export type View = {
  $coverage: WritableAtom<DeskCoverage>;
  $updates: WritableAtom<DeskUpdate[]>;
  $connection: WritableAtom<Connection | null>;
  $window: WritableAtom<UpdateWindow>;
  $counts: WritableAtom<UpdateCounts>;
};

/** Between a change and the counting of what is there then. */
const COUNT_MS = 3000;

/** Rows asked for by one call, whose ids all stand in one address. */
const AT_ONCE = 100;

/** Reads a desk as `me`, or parts of it, into its view; failures go there too. */
export function deskReader(
  backend: DeskBackend,
  me: string,
  { $coverage, $updates, $connection, $window, $counts }: View,
): (wanted: Wanted) => Promise<void> {
  const { id } = $coverage.get();
  let isCounting = false;

  async function readAll(): Promise<void> {
    const window = $window.get();
    const [coverage, heads, counts] = await Promise.all([
      backend.read((client) => readCoverage(client, 'id', id)),
      backend.read((client) => readHeads(client, id, window)),
      backend.read((client) => readCounts(client, id)),
    ]);
    if (heads.length === 0) await expectPlace();
    const fresh = await readRows(staleIds(heads, $updates.get()));
    if (window !== $window.get()) return;
    setRows(rowsOf(heads, [...$updates.get(), ...fresh]));
    setCounts(counts);
    setCoverage(coverage);
    reached(true);
  }

  async function readRows(ids: string[]): Promise<DeskUpdate[]> {
    const rows: DeskUpdate[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      rows.push(...(await backend.read((client) => updatesById(client, some))));
    }
    return rows;
  }

  /** Where this person may see nothing, the database gives nothing: that must not pass for an empty desk. */
  async function expectPlace(): Promise<void> {
    const roster = await backend.read((client) => readRoster(client, id));
    if (!roster.some((row) => row.id === me)) throw new Refused(refusal('not_found'));
  }

  async function readSome({ ids: wanted }: Wanted): Promise<void> {
    const ids = [...wanted];
    const fresh = await readRows(ids);
    const rows = placed($updates.get(), fresh, $window.get());
    // What was spoken of is not to be seen: perhaps nothing is.
    if (!rows || fresh.length < ids.length) return readAll();
    setRows(rows);
    countSoon();
    reached(false);
  }

  function setRows(rows: DeskUpdate[]): void {
    const before = $updates.get();
    if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) $updates.set(rows);
  }

  /** In a busy minute nobody reads every count: a number a few seconds old costs the newsroom half as much. */
  function countSoon(): void {
    if (isCounting) return;
    isCounting = true;
    setTimeout(() => {
      isCounting = false;
      backend.read((client) => readCounts(client, id)).then(setCounts, () => {});
    }, COUNT_MS);
  }

  function setCounts(counts: UpdateCounts): void {
    if (JSON.stringify(counts) !== JSON.stringify($counts.get())) $counts.set(counts);
  }

  function setCoverage(coverage: DeskCoverage | null): void {
    if (!coverage) return;
    // Before it is shown: whoever sees it may press at once.
    backend.looked();
    if (!sameCoverage(coverage, $coverage.get())) $coverage.set(coverage);
  }

  function reached(isWhole: boolean): void {
    $connection.set(connectionAfter('current', $connection.get(), isWhole));
  }

  return async (wanted) => {
    try {
      // After a failure nobody knows what was missed.
      const isWhole = wanted.all || wanted.ids.size > AT_ONCE || $connection.get()?.state !== 'current';
      await (isWhole ? readAll() : readSome(wanted));
    } catch (error) {
      $connection.set(connectionAfter(WHY_NOT[refusalOf(error).code] ?? 'behind', $connection.get()));
    }
  };
}

/** How somebody stands to the newsroom after a look. Of one that failed the times stay those of the last good one. */
export function connectionAfter(
  state: Connection['state'],
  before: Connection | null,
  isWhole = false,
): Connection {
  const now = new Date().toISOString();
  if (state !== 'current') return { state, at: before?.at ?? now, lookedAt: before?.lookedAt ?? now };
  return { state, at: now, lookedAt: isWhole ? now : (before?.lookedAt ?? now) };
}

/** What a refused look means. Refused for the whole desk is somebody else's session in this browser. */
export const WHY_NOT: Partial<Record<Code, Connection['state']>> = {
  signed_out: 'signed_out',
  forbidden: 'signed_out',
  not_found: 'not_yours',
};

function sameCoverage(a: DeskCoverage, b: DeskCoverage): boolean {
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.pinned_update === b.pinned_update &&
    a.update_count === b.update_count
  );
}
