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
import { applyChangedRows, rowsForHeads, staleIds } from '../../lib/data/desk-updates.ts';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import type { ErrorCode } from '../../lib/domain/errors.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { onNetworkChange } from '../network/network.ts';
import type { DeskBackend } from './backend.ts';
import { refusalOf } from './task.ts';

/** What to fetch: everything or some rows. */
export type FetchRequest = { all: boolean; ids: ReadonlySet<string> };

type CoalescedFetch = {
  /** Requests a fetch. Resolves after one that began after this call. */
  request(part: Partial<FetchRequest>): Promise<void>;
  /** The running fetch, if any. */
  current(): Promise<void> | undefined;
};

/**
 * Runs one fetch at a time and combines requests that arrive meanwhile into the next one, because a running fetch may
 * be older than the change.
 */
export function coalesceFetches(run: (pending: FetchRequest) => Promise<void>): CoalescedFetch {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let pending = EMPTY_REQUEST;

  function begin(): Promise<void> {
    const now = pending;
    next = undefined;
    pending = EMPTY_REQUEST;
    running = run(now).finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    current: () => running,
    request(part) {
      pending = {
        all: pending.all || part.all === true,
        ids: new Set([...pending.ids, ...(part.ids ?? [])]),
      };
      next ??= (running ?? Promise.resolve()).then(begin);
      return next;
    },
  };
}

const EMPTY_REQUEST: FetchRequest = { all: false, ids: new Set() };

/** Connection of the desk to the backend. */
export type DeskConnection = {
  state: 'current' | 'behind' | 'signed_out' | 'not_yours';
  /** Time of the last successful fetch. */
  at: string;
  /** Time of the last complete refetch. */
  refetchedAt: string;
};

/** Extent of a fetch; null when its result is no longer needed. */
export type FetchResult = 'all' | 'some' | null;

/** Functions that fetch everything or single rows. */
type FetchFunctions = { all(): Promise<FetchResult>; some(ids: string[]): Promise<FetchResult> };

/**
 * Fetches what a request asks for and records the connection state.
 * @param maxIds more ids than this cause a complete refetch
 */
export function fetchWithStatus(
  $connection: WritableAtom<DeskConnection | null>,
  maxIds: number,
  { all, some }: FetchFunctions,
): (request: FetchRequest) => Promise<void> {
  return async (request) => {
    try {
      // After a failure, changes may have been missed.
      const isComplete = request.all || request.ids.size > maxIds || $connection.get()?.state !== 'current';
      const result = await (isComplete ? all() : some([...request.ids]));
      if (result) $connection.set(connectionAfter('current', $connection.get(), result === 'all'));
    } catch (error) {
      $connection.set(connectionAfter(STATE_BY_CODE[refusalOf(error).code] ?? 'behind', $connection.get()));
    }
  };
}

/** After a failed fetch the times of the last successful one stay. */
function connectionAfter(
  state: DeskConnection['state'],
  before: DeskConnection | null,
  isComplete = false,
): DeskConnection {
  const now = new Date().toISOString();
  if (state !== 'current') return { state, at: before?.at ?? now, refetchedAt: before?.refetchedAt ?? now };
  return { state, at: now, refetchedAt: isComplete ? now : (before?.refetchedAt ?? now) };
}

/** Meaning of error codes. A refusal of the whole desk means another person's session in this browser. */
const STATE_BY_CODE: Partial<Record<ErrorCode, DeskConnection['state']>> = {
  signed_out: 'signed_out',
  forbidden: 'signed_out',
  not_found: 'not_yours',
};

/**
 * Counts beside a changing list. They are delayed, which halves the load in a busy minute.
 * @param delayMs delay between a change and counting
 */
export function makeCounts<Counts>(
  $counts: WritableAtom<Counts>,
  count: () => Promise<NonNullable<Counts>>,
  delayMs: number,
): { set(counts: NonNullable<Counts>): void; countLater(): void } {
  let isCounting = false;
  function set(counts: NonNullable<Counts>): void {
    if (JSON.stringify(counts) !== JSON.stringify($counts.get())) $counts.set(counts);
  }
  return {
    set,
    countLater() {
      if (isCounting) return;
      isCounting = true;
      setTimeout(() => {
        isCounting = false;
        count().then(set, () => {});
      }, delayMs);
    },
  };
}

/** Stores that the fetcher updates. */
type DeskStores = {
  $coverage: WritableAtom<DeskCoverage>;
  $updates: WritableAtom<DeskUpdate[]>;
  $connection: WritableAtom<DeskConnection | null>;
  $window: WritableAtom<UpdateWindow>;
  $counts: WritableAtom<UpdateCounts>;
};

/** Delay between a change and counting. */
const COUNT_DELAY_MS = 3000;

/** Row ids per request, limited by the length of a URL. */
const MAX_IDS = 100;

/** Returns a function that fetches a desk or parts of it into its stores, including the connection state. */
export function deskFetcher(
  backend: DeskBackend,
  me: string,
  { $coverage, $updates, $connection, $window, $counts }: DeskStores,
): (request: FetchRequest) => Promise<void> {
  const { id } = $coverage.get();
  const count = () => backend.read((client) => readCounts(client, id));
  const counter = makeCounts($counts, count, COUNT_DELAY_MS);

  async function readAll(): Promise<FetchResult> {
    const window = $window.get();
    const [coverage, heads, counts] = await Promise.all([
      backend.read((client) => readCoverage(client, 'id', id)),
      backend.read((client) => readHeads(client, id, window)),
      count(),
    ]);
    if (heads.length === 0) await requireMembership();
    const fetched = await readRows(staleIds(heads, $updates.get()));
    if (window !== $window.get()) return null;
    setRows(rowsForHeads(heads, [...$updates.get(), ...fetched]));
    counter.set(counts);
    setCoverage(coverage);
    return 'all';
  }

  async function readRows(ids: string[]): Promise<DeskUpdate[]> {
    const rows: DeskUpdate[] = [];
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      const some = ids.slice(from, from + MAX_IDS);
      rows.push(...(await backend.read((client) => updatesById(client, some))));
    }
    return rows;
  }

  /** Without permission the database returns no rows, which must not look like an empty desk. */
  async function requireMembership(): Promise<void> {
    const roster = await backend.read((client) => readRoster(client, id));
    if (!roster.some((row) => row.id === me)) throw new Refused('not_found');
  }

  async function readSome(ids: string[]): Promise<FetchResult> {
    const fetched = await readRows(ids);
    const rows = applyChangedRows($updates.get(), fetched, $window.get());
    // A reported row is not visible, so permissions may have changed.
    if (!rows || fetched.length < ids.length) return readAll();
    setRows(rows);
    counter.countLater();
    return 'some';
  }

  function setRows(rows: DeskUpdate[]): void {
    const before = $updates.get();
    if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) $updates.set(rows);
  }

  function setCoverage(coverage: DeskCoverage | null): void {
    if (!coverage) return;
    // Before the state is shown, because the person may act on it at once.
    backend.refetched();
    if (!sameCoverage(coverage, $coverage.get())) $coverage.set(coverage);
  }

  return fetchWithStatus($connection, MAX_IDS, { all: readAll, some: readSome });
}

function sameCoverage(a: DeskCoverage, b: DeskCoverage): boolean {
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.urgent_at === b.urgent_at &&
    a.pinned_update === b.pinned_update &&
    a.update_count === b.update_count &&
    a.quiet_since === b.quiet_since
  );
}

/** Interval of polls while the page is visible, in milliseconds. */
const POLL_MS = 5000;

/** Callbacks of the polling loop. */
type PollHandlers = {
  /** At an interval while the page is visible. */
  onInterval(): void;
  /** At once when the page becomes visible, or goes online or offline. */
  onVisible(): void;
};

/** A hidden page does not poll. It refetches everything when it becomes visible. */
export const isVisible = () => document.visibilityState === 'visible';

/** Calls back at once and while the page is visible. Returns a function that stops it. */
export function startPolling({ onInterval, onVisible }: PollHandlers): () => void {
  const whenVisible = (handler: () => void) => () => {
    if (isVisible()) handler();
  };
  const handleVisible = whenVisible(onVisible);
  const timer = setInterval(whenVisible(onInterval), POLL_MS);
  document.addEventListener('visibilitychange', handleVisible);
  // The person may have signed in in another tab or window.
  window.addEventListener('focus', handleVisible);
  const stopListening = onNetworkChange(handleVisible);
  handleVisible();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', handleVisible);
    window.removeEventListener('focus', handleVisible);
    stopListening();
  };
}
