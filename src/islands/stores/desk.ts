import { atom, type ReadableAtom, type WritableAtom } from 'nanostores';
import type { Link } from '../../lib/body/blocks.ts';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import { unfurl } from '../../lib/desk/links.ts';
import { FIRST_WINDOW, isNews, PAGE } from '../../lib/desk/list.ts';
import { type UpdateFilter, type UpdateWindow, updatesById } from '../../lib/desk/read.ts';
import type { DeskPerson } from '../../lib/desk/rights.ts';
import { readRoster } from '../../lib/desk/roster.ts';
import type { DeskUpdate } from '../../lib/desk/update.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { type DeskBackend, deskBackend } from '../browser/desk-backend.ts';
import { keepLooking } from '../browser/looking.ts';
import { photoLine } from '../browser/photo-line.ts';
import { photoShelf } from '../browser/photo-shelf.ts';
import { makeEditing } from './editing.ts';
import { type LineState, makeLine } from './line.ts';
import { type Connection, deskReader } from './looks.ts';
import { makePhotos, type Photos } from './photos.ts';
import { type DeskPresence, makePresence } from './presence.ts';
import { readTogether } from './wanted.ts';

/** What every island of a desk is given by its page. */
export type DeskContext = { coverage: DeskCoverage; person: DeskPerson; backend: BrowserBackend };

/** A panel that is open in the row of an update. */
export type Panel = { id: string; panel: 'edit' | 'withdraw' | 'spike' };

export type Desk = {
  person: DeskPerson;
  $coverage: ReadableAtom<DeskCoverage>;
  $updates: ReadableAtom<DeskUpdate[]>;
  $connection: ReadableAtom<Connection | null>;
  $window: ReadableAtom<UpdateWindow>;
  /** Whether the desk hears what others do, or has to look for it. */
  $line: ReadableAtom<LineState>;
  /** Who else is at this desk. */
  presence: DeskPresence;
  /** The photos that this page brings or shows. */
  photos: Photos;
  /** Which panel of which update is open: one at a time. */
  $open: WritableAtom<Panel | null>;
  /** What was done last, to be announced. */
  $said: WritableAtom<string>;
  press: DeskBackend['press'];
  /** What the page at an address says of itself. @throws Refused */
  unfurl(url: string): Promise<Link>;
  /** To be told of words that come into an editor. @param what the update's id or `new`; null when they are gone */
  wrote(what: string | null): void;
  /** The list that the page was made with: what is known until the first look. */
  begin(updates: DeskUpdate[]): void;
  /** One update as it is now. */
  look(id: string): Promise<DeskUpdate | undefined>;
  /** Listens and looks for as long as the list is on the screen. Returns what ends it. */
  watch(): () => void;
  /** Looks at everything; resolves when a look that began after this call has ended. */
  refresh(): Promise<void>;
  show(filter: UpdateFilter): void;
  showOlder(): void;
};

/** Between two looks while the line tells what happens: a net, because messages may be lost. */
const NET_MS = 30_000;

/** The desk of a coverage: what all its islands share. */
export function makeDesk(context: DeskContext, backend: DeskBackend): Desk {
  const { id } = context.coverage;
  const me = context.person.id;
  const $coverage = atom(context.coverage);
  const $updates = atom<DeskUpdate[]>([]);
  const $connection = atom<Connection | null>(null);
  const $window = atom<UpdateWindow>(FIRST_WINDOW);
  const $open = atom<Panel | null>(null);

  const reading = readTogether(deskReader(backend, me, { $coverage, $updates, $connection, $window }));
  const presence = makePresence(me, () => backend.read((client) => readRoster(client, id)));
  function refresh(): Promise<void> {
    presence.look();
    return reading.want({ all: true });
  }
  const photos = makePhotos(photoLine(backend, context.backend, id), photoShelf(me, id));
  const editing = makeEditing($open);
  const line = makeLine(
    (ears) => backend.openLine(id, ears),
    { me, $editing: editing.$editing },
    {
      turned(isJoined) {
        if (!isJoined) presence.lost();
        void refresh();
      },
      update(update, version) {
        const row = $updates.get().find((known) => known.id === update);
        if (isSeen() && isNews(row, version)) void reading.want({ updates: new Set([update]) });
      },
      photo(photo) {
        const holding = $updates.get().filter(({ photos }) => photos.some(({ id }) => id === photo));
        if (isSeen() && holding.length > 0) {
          void reading.want({ updates: new Set(holding.map((update) => update.id)) });
        }
      },
      // Also of a whole import at once nothing else is said: the list is looked at too.
      coverage() {
        if (isSeen()) void refresh();
      },
      present: presence.heard,
    },
  );

  /** Whatever the line does not tell has to be looked for. */
  function isDue(): boolean {
    const known = $connection.get();
    const isTold = line.$line.get() === 'joined' && known?.state === 'current';
    return !isTold || Date.now() - Date.parse(known.lookedAt) >= NET_MS;
  }

  /** Who may not work here is not here. */
  function leave(): void {
    line.close();
    presence.lost();
  }

  return {
    person: context.person,
    $coverage,
    $updates,
    $connection,
    $window,
    $line: line.$line,
    presence,
    photos,
    $open,
    $said: atom(''),
    press: backend.press,
    unfurl: (url) => backend.read((client) => unfurl(client, url)),
    wrote: editing.wrote,
    refresh,
    watch() {
      // Whoever was reached knows whose token this is: not before that is there anything to join with.
      const stops = [
        $connection.listen((now, before) => {
          if (now?.state === 'current') line.open();
          else if (now?.state !== 'behind') leave();
          if (now?.state === 'current' && before?.state !== 'current') photos.wake();
        }),
        editing.watch(),
        keepLooking({
          tick() {
            if (isDue() && !reading.underWay()) void refresh();
          },
          wake: refresh,
        }),
        leave,
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
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

/** A page that nobody looks at reads nothing: it looks at everything when it is seen again. */
const isSeen = () => document.visibilityState === 'visible';

let shared: Desk | undefined;

/** The desk of this page. On the server every rendering gets one of its own. */
export function deskOf(context: DeskContext): Desk {
  if (typeof window === 'undefined') return makeDesk(context, NO_BACKEND);
  shared ??= makeDesk(context, deskBackend(context.backend, context.person.id));
  return shared;
}

/** Nothing is read or sent while a page is rendered. */
const NO_BACKEND: DeskBackend = {
  tokens: { get: () => Promise.reject(new Error('There is no desk on the server.')), forget: () => {} },
  read: () => Promise.reject(new Error('There is no desk on the server.')),
  press: () => Promise.reject(new Error('There is no desk on the server.')),
  looked: () => {},
  openLine: () => ({ track: () => {}, leave: () => {} }),
};
