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
import { Refused, refusal } from '../../lib/http/errors.ts';
import type { DeskBackend } from '../browser/desk-backend.ts';
import { type Connection, connectionReader, type Looked, makeCounting } from './connection.ts';
import type { Wanted } from './wanted.ts';

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
  const count = () => backend.read((client) => readCounts(client, id));
  const counting = makeCounting($counts, count, COUNT_MS);

  async function readAll(): Promise<Looked> {
    const window = $window.get();
    const [coverage, heads, counts] = await Promise.all([
      backend.read((client) => readCoverage(client, 'id', id)),
      backend.read((client) => readHeads(client, id, window)),
      count(),
    ]);
    if (heads.length === 0) await expectPlace();
    const fresh = await readRows(staleIds(heads, $updates.get()));
    if (window !== $window.get()) return null;
    setRows(rowsOf(heads, [...$updates.get(), ...fresh]));
    counting.set(counts);
    setCoverage(coverage);
    return 'all';
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

  async function readSome(ids: string[]): Promise<Looked> {
    const fresh = await readRows(ids);
    const rows = placed($updates.get(), fresh, $window.get());
    // What was spoken of is not to be seen: perhaps nothing is.
    if (!rows || fresh.length < ids.length) return readAll();
    setRows(rows);
    counting.soon();
    return 'some';
  }

  function setRows(rows: DeskUpdate[]): void {
    const before = $updates.get();
    if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) $updates.set(rows);
  }

  function setCoverage(coverage: DeskCoverage | null): void {
    if (!coverage) return;
    // Before it is shown: whoever sees it may press at once.
    backend.looked();
    if (!sameCoverage(coverage, $coverage.get())) $coverage.set(coverage);
  }

  return connectionReader($connection, AT_ONCE, { all: readAll, some: readSome });
}

function sameCoverage(a: DeskCoverage, b: DeskCoverage): boolean {
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.pinned_update === b.pinned_update &&
    a.update_count === b.update_count
  );
}
