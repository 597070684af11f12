import type { WritableAtom } from 'nanostores';
import {
  readCounts,
  readCoverage,
  readHeads,
  readRoster,
  type UpdateCounts,
  type UpdateWindow,
  updatesById,
} from '../../lib/data/desk.ts';
import { placed, rowsOf, staleIds } from '../../lib/data/desk-list.ts';
import type { DeskCoverage } from '../../lib/domain/desk-coverages.ts';
import type { Code } from '../../lib/domain/errors.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from './backend.ts';
import { refusalOf } from './task.ts';

/** What of a desk is to be read: everything, or some of its rows. */
export type Wanted = { all: boolean; ids: ReadonlySet<string> };

export type CoalescedReads = {
  /** Asks for a reading; resolves when one that began after this call has ended. */
  want(part: Partial<Wanted>): Promise<void>;
  /** The end of the reading that is under way, if there is one. */
  underWay(): Promise<void> | undefined;
};

/**
 * One reading at a time, and one after it: what is under way may have asked before something was done. What is asked
 * for meanwhile is read together.
 */
export function readTogether(read: (wanted: Wanted) => Promise<void>): CoalescedReads {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let wanted = NOTHING;

  function begin(): Promise<void> {
    const now = wanted;
    next = undefined;
    wanted = NOTHING;
    running = read(now).finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    underWay: () => running,
    want(part) {
      wanted = {
        all: wanted.all || part.all === true,
        ids: new Set([...wanted.ids, ...(part.ids ?? [])]),
      };
      next ??= (running ?? Promise.resolve()).then(begin);
      return next;
    },
  };
}

const NOTHING: Wanted = { all: false, ids: new Set() };

/** How somebody at a desk stands to the newsroom: whether it is reached, and when it last was. */
export type Connection = {
  state: 'current' | 'behind' | 'signed_out' | 'not_yours';
  /** When it was last reached. */
  at: string;
  /** When everything was last looked at. */
  lookedAt: string;
};

/** What a look has read; null when it was for something that is not wanted any more. */
export type Looked = 'all' | 'some' | null;

/** How everything is read, and how some of it. */
export type Reading = { all(): Promise<Looked>; some(ids: string[]): Promise<Looked> };

/**
 * Looks at what is wanted, and writes down how that went.
 * @param atOnce ids that one call may ask for: of more, everything is read
 */
export function connectionReader(
  $connection: WritableAtom<Connection | null>,
  atOnce: number,
  { all, some }: Reading,
): (wanted: Wanted) => Promise<void> {
  return async (wanted) => {
    try {
      // After a failure nobody knows what was missed.
      const isWhole = wanted.all || wanted.ids.size > atOnce || $connection.get()?.state !== 'current';
      const looked = await (isWhole ? all() : some([...wanted.ids]));
      if (looked) $connection.set(after('current', $connection.get(), looked === 'all'));
    } catch (error) {
      $connection.set(after(WHY_NOT[refusalOf(error).code] ?? 'behind', $connection.get()));
    }
  };
}

/** Of a look that failed the times stay those of the last good one. */
function after(state: Connection['state'], before: Connection | null, isWhole = false): Connection {
  const now = new Date().toISOString();
  if (state !== 'current') return { state, at: before?.at ?? now, lookedAt: before?.lookedAt ?? now };
  return { state, at: now, lookedAt: isWhole ? now : (before?.lookedAt ?? now) };
}

/** What a refused look means. Refused for the whole desk is somebody else's session in this browser. */
const WHY_NOT: Partial<Record<Code, Connection['state']>> = {
  signed_out: 'signed_out',
  forbidden: 'signed_out',
  not_found: 'not_yours',
};

/**
 * Numbers of what there is, beside a list that changes. In a busy minute nobody reads every one: what is a few seconds old
 * costs the newsroom half as much.
 * @param afterMs between a change and the counting of what is there then
 */
export function makeCounting<Counts>(
  $counts: WritableAtom<Counts>,
  count: () => Promise<NonNullable<Counts>>,
  afterMs: number,
): { set(counts: NonNullable<Counts>): void; soon(): void } {
  let isCounting = false;
  function set(counts: NonNullable<Counts>): void {
    if (JSON.stringify(counts) !== JSON.stringify($counts.get())) $counts.set(counts);
  }
  return {
    set,
    soon() {
      if (isCounting) return;
      isCounting = true;
      setTimeout(() => {
        isCounting = false;
        count().then(set, () => {});
      }, afterMs);
    },
  };
}

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

/** Between two looks while the desk is on the screen. */
const EVERY_MS = 5000;

/** When a desk looks. */
export type Looks = {
  /** Every few seconds while the page is visible. */
  tick(): void;
  /** At once: the page has become visible, the line has come or gone. */
  wake(): void;
};

/** A page that nobody looks at reads nothing: it looks at everything when it is seen again. */
export const isSeen = () => document.visibilityState === 'visible';

/** Calls back at once, and then as long as the page is on the screen. Returns what ends it. */
export function keepLooking({ tick, wake }: Looks): () => void {
  const seen = (look: () => void) => () => {
    if (isSeen()) look();
  };
  const onWake = seen(wake);
  const timer = setInterval(seen(tick), EVERY_MS);
  document.addEventListener('visibilitychange', onWake);
  // Coming back from another tab or window: somebody may have signed in there.
  const events = ['focus', 'online', 'offline'];
  for (const event of events) window.addEventListener(event, onWake);
  onWake();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onWake);
    for (const event of events) window.removeEventListener(event, onWake);
  };
}
