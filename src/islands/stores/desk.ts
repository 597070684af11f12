import { atom, type ReadableAtom, type WritableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import { FIRST_WINDOW, PAGE, rowsOf, staleIds } from '../../lib/desk/list.ts';
import {
  readCoverage,
  readHeads,
  type UpdateFilter,
  type UpdateWindow,
  updatesById,
} from '../../lib/desk/read.ts';
import type { DeskPerson } from '../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../lib/desk/update.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { type DeskBackend, deskBackend } from '../browser/desk-backend.ts';
import { refusalOf } from './refusal-of.ts';

/** What every island of a desk is given by its page. */
export type DeskContext = { coverage: DeskCoverage; person: DeskPerson; backend: BrowserBackend };

/** How the desk stands to the newsroom: when it was last reached, and whether it is now. */
export type Connection = { state: 'current' | 'behind' | 'signed_out'; at: string };

export type Desk = {
  person: DeskPerson;
  $coverage: ReadableAtom<DeskCoverage>;
  $updates: ReadableAtom<DeskUpdate[]>;
  $connection: ReadableAtom<Connection | null>;
  $window: ReadableAtom<UpdateWindow>;
  /** Which panel of which update is open: one at a time. */
  $open: WritableAtom<{ id: string; panel: 'edit' | 'withdraw' | 'spike' } | null>;
  /** What was done last, to be announced. */
  $said: WritableAtom<string>;
  press: DeskBackend['press'];
  /** The list that the page was made with: what is known until the first look. */
  begin(updates: DeskUpdate[]): void;
  /** One update as it is now. */
  look(id: string): Promise<DeskUpdate | undefined>;
  /** Keeps looking for as long as the list is on the screen. Returns what ends it. */
  watch(): () => void;
  /** Looks at everything; resolves when a look that began after this call has ended. */
  refresh(): Promise<void>;
  show(filter: UpdateFilter): void;
  showOlder(): void;
};

/** Between two looks while the desk is on the screen. */
const EVERY_MS = 5000;

/** Rows asked for by one look, whose ids all stand in one address: the next look gets the rest. */
const AT_ONCE = 100;

/** The desk of a coverage: what all its islands share. */
function makeDesk(context: DeskContext, backend: DeskBackend): Desk {
  const id = context.coverage.id;
  const $coverage = atom(context.coverage);
  const $updates = atom<DeskUpdate[]>([]);
  const $connection = atom<Connection | null>(null);
  const $window = atom<UpdateWindow>(FIRST_WINDOW);
  let looking: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function look(): Promise<void> {
    const window = $window.get();
    try {
      const [coverage, heads] = await Promise.all([
        backend.read((client) => readCoverage(client, 'id', id)),
        backend.read((client) => readHeads(client, id, window)),
      ]);
      const known = $updates.get();
      const fresh = await backend.read((client) =>
        updatesById(client, staleIds(heads, known).slice(0, AT_ONCE)),
      );
      if (window !== $window.get()) return;
      const rows = rowsOf(heads, [...known, ...fresh]);
      if (fresh.length > 0 || !sameOrder(rows, $updates.get())) $updates.set(rows);
      if (coverage && !sameCoverage(coverage, $coverage.get())) $coverage.set(coverage);
      backend.looked();
      $connection.set({ state: 'current', at: new Date().toISOString() });
    } catch (error) {
      lose(['signed_out', 'forbidden'].includes(refusalOf(error).code) ? 'signed_out' : 'behind');
    }
  }

  /** The time stays that of the last good look. */
  function lose(state: 'behind' | 'signed_out'): void {
    const before = $connection.get();
    $connection.set({ state, at: before?.at ?? new Date().toISOString() });
  }

  /** One look at a time, and one after it: what is under way may have asked before something was done. */
  function refresh(): Promise<void> {
    next ??= (looking ?? Promise.resolve()).then(() => {
      next = undefined;
      looking = look().finally(() => {
        looking = undefined;
      });
      return looking;
    });
    return next;
  }

  return {
    person: context.person,
    $coverage,
    $updates,
    $connection,
    $window,
    $open: atom(null),
    $said: atom(''),
    press: backend.press,
    refresh,
    watch: () => watch(() => looking ?? refresh()),
    begin(updates) {
      if ($updates.get().length === 0) $updates.set(updates);
    },
    async look(update) {
      const [row] = await backend.read((client) => updatesById(client, [update]));
      return row;
    },
    show(filter) {
      $window.set({ filter, most: PAGE });
      void refresh();
    },
    showOlder() {
      const { filter, most } = $window.get();
      $window.set({ filter, most: most + PAGE });
      void refresh();
    },
  };
}

/** Calls back at once, every few seconds while the page is visible, and when it becomes so. */
function watch(look: () => Promise<void>): () => void {
  const onVisible = () => {
    if (document.visibilityState === 'visible') void look();
  };
  const timer = setInterval(onVisible, EVERY_MS);
  document.addEventListener('visibilitychange', onVisible);
  // Coming back from another tab or window: somebody may have signed in there.
  window.addEventListener('focus', onVisible);
  onVisible();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
    window.removeEventListener('focus', onVisible);
  };
}

function sameOrder(a: DeskUpdate[], b: DeskUpdate[]): boolean {
  return a.length === b.length && a.every((row, index) => row.id === b[index]?.id);
}

function sameCoverage(a: DeskCoverage, b: DeskCoverage): boolean {
  return (
    a.version === b.version &&
    a.state === b.state &&
    a.pinned_update === b.pinned_update &&
    a.update_count === b.update_count
  );
}

let shared: Desk | undefined;

/** The desk of this page. On the server every rendering gets one of its own. */
export function deskOf(context: DeskContext): Desk {
  if (typeof window === 'undefined') return makeDesk(context, NO_BACKEND);
  shared ??= makeDesk(context, deskBackend(context.backend, context.person.id));
  return shared;
}

/** Nothing is read or sent while a page is rendered. */
const NO_BACKEND: DeskBackend = {
  read: () => Promise.reject(new Error('There is no desk on the server.')),
  press: () => Promise.reject(new Error('There is no desk on the server.')),
  looked: () => {},
};
