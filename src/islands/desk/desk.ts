import { atom, type ReadableAtom, type WritableAtom } from 'nanostores';
import {
  readRoster,
  readSummaryVersions,
  type SummaryVersion,
  type UpdateCounts,
  type UpdateWindow,
  updatesById,
} from '../../lib/data/desk.ts';
import { FIRST_WINDOW, isNews, PAGE } from '../../lib/data/desk-list.ts';
import { type DeskVersion, readVersions } from '../../lib/data/desk-versions.ts';
import { unfurl } from '../../lib/data/link-previews.ts';
import { readUsablePhotos, type UsablePhotos } from '../../lib/data/photos.ts';
import type { Link } from '../../lib/domain/body/blocks.ts';
import type { DeskCoverage } from '../../lib/domain/desk-coverages.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';
import type { DeskByline, DeskUpdate, UpdateFilter } from '../../lib/domain/updates.ts';
import { outbox as outboxMessages } from '../../lib/i18n/outbox.ts';
import { DESK_CHANGED } from '../live-feed/store.ts';
import { makeOutbox, type Outbox } from '../outbox/outbox.ts';
import { watchQueuedText } from '../outbox/sending.ts';
import { photoLine } from '../photos/photo-backend.ts';
import { photoShelf } from '../photos/photo-store.ts';
import { makePhotos, type Photos } from '../photos/photos.ts';
import { type DeskBackend, deskBackend, NO_BACKEND } from './backend.ts';
import { type DeskNews, type LineState, makeLine } from './channel.ts';
import type { DeskContext, Panel } from './context.ts';
import { type HeldRows, makeHeld } from './frozen-rows.ts';
import { saveDeskData } from './offline-desk.ts';
import { type DeskPresence, makeEditing, makePresence } from './presence.ts';
import { type Connection, deskReader, isSeen, keepLooking, readTogether } from './refetch.ts';

export type Desk = {
  person: DeskPerson;
  $coverage: ReadableAtom<DeskCoverage>;
  $updates: ReadableAtom<DeskUpdate[]>;
  /** The list as it is shown: it stands still while it is used. */
  list: HeldRows;
  /** How many updates there are in each state, as far as they are counted. */
  $counts: ReadableAtom<UpdateCounts>;
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
  /** What this person has pressed here, on its way. */
  outbox: Outbox;
  /** The new update whose words are in the composer, once there are any: it is not shown a second time. */
  $composing: WritableAtom<string | null>;
  press: DeskBackend['press'];
  /** For parts that read something beside the desk's own, over its one line. */
  backend: DeskBackend;
  /** What the page at an address says of itself. @throws Refused */
  unfurl(url: string): Promise<Link>;
  /** Everybody at this desk, as they are called: whose words something may be. @throws Refused */
  names(): Promise<DeskByline[]>;
  /** Photos of this coverage that this person may put into an update, found by their words. @throws Refused */
  usablePhotos(words: string, after?: string): Promise<UsablePhotos>;
  /** To be told of words that come into an editor. @param what the update's id or `new`; null when they are gone */
  wrote(what: string | null): void;
  /** The list that the page was made with: what is known until the first look. */
  begin(updates: DeskUpdate[]): void;
  /** The versions of the summary before a version, newest first. @throws Refused */
  summaryVersions(before?: number): Promise<SummaryVersion[]>;
  /** The versions of an update before a version, newest first. @throws Refused */
  versions(update: string, before?: number): Promise<DeskVersion[]>;
  /** One update as it is now. */
  look(id: string): Promise<DeskUpdate | undefined>;
  /** Listens and looks for as long as the list is on the screen. Returns what ends it. */
  watch(): () => void;
  /** Looks at everything; resolves when a look that began after this call has ended. */
  refresh(): Promise<void>;
  show(filter: UpdateFilter): void;
  /** Leaves in the list what has these words. */
  search(words: string): void;
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
  const $counts = atom<UpdateCounts>({});
  const list = makeHeld($updates, $open);

  const reading = readTogether(
    deskReader(backend, me, { $coverage, $updates, $connection, $window, $counts }),
  );
  const presence = makePresence(me, () => backend.read((client) => readRoster(client, id)));
  function refresh(): Promise<void> {
    presence.look();
    return reading.want({ all: true });
  }
  const photos = makePhotos(photoLine(backend, context.backend), photoShelf(me), {
    coverage: id,
    watchWords: (tell) => watchQueuedText(me, tell),
  });
  const $said = atom('');
  const outbox = makeOutbox({ person: me, coverage: context.coverage, send: backend.send });
  const editing = makeEditing($open);
  const line = makeLine<DeskNews>((ears) => backend.openLine(id, ears), editing.$editing, {
    turned(isJoined) {
      if (!isJoined) presence.lost();
      void refresh();
    },
    update(update, version) {
      heardAtDesk();
      const row = $updates.get().find((known) => known.id === update);
      if (isSeen() && isNews(row, version)) void reading.want({ ids: new Set([update]) });
    },
    photo(photo) {
      const holding = $updates.get().filter(({ photos }) => photos.some(({ id }) => id === photo));
      if (isSeen() && holding.length > 0) {
        void reading.want({ ids: new Set(holding.map((update) => update.id)) });
      }
    },
    // Also of a whole import at once nothing else is said: the list is looked at too.
    coverage() {
      if (isSeen()) void refresh();
    },
    present: presence.heard,
  });

  /** Another window of the list. */
  function look(window: UpdateWindow): void {
    $window.set(window);
    list.renew();
    void refresh();
  }

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
    list,
    $counts,
    $connection,
    $window,
    $line: line.$line,
    presence,
    photos,
    $open,
    $said,
    outbox,
    $composing: atom(null),
    press: backend.press,
    backend,
    unfurl: (url) => backend.read((client) => unfurl(client, url)),
    names: () => backend.read((client) => readRoster(client, id)),
    usablePhotos: (words, after) => backend.read((client) => readUsablePhotos(client, id, words, after)),
    wrote: editing.wrote,
    refresh,
    watch() {
      // Whoever was reached knows whose token this is: not before that is there anything to join with.
      const stops = [
        $connection.listen((now, before) => {
          if (now?.state === 'current') line.open();
          else if (now?.state !== 'behind') leave();
          if (now?.state !== 'current' || before?.state === 'current') return;
          outbox.sendNow();
          photos.wake();
        }),
        outbox.start(),
        outbox.$pauseReason.listen((holdUp) => $said.set(holdUp ? outboxMessages.holdUps[holdUp] : '')),
        saveDeskData(context, { $coverage, $connection }),
        editing.watch(),
        keepLooking({
          tick() {
            if (isDue() && !reading.underWay()) void refresh();
          },
          wake: refresh,
        }),
        leave,
        list.watch(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    begin(updates) {
      if ($updates.get().length === 0) $updates.set(updates);
    },
    summaryVersions: (before) => backend.read((client) => readSummaryVersions(client, id, before)),
    versions: (update, before) => backend.read((client) => readVersions(client, update, before)),
    async look(update) {
      const [row] = await backend.read((client) => updatesById(client, [update]));
      return row;
    },
    show: (filter) => look({ ...$window.get(), filter, most: PAGE }),
    search: (words) => look({ ...$window.get(), words, most: PAGE }),
    showOlder: () => look({ ...$window.get(), most: $window.get().most + PAGE }),
  };
}

/** Whoever counts what waits on this page need not wait for the next time. */
const heardAtDesk = () => document.dispatchEvent(new Event(DESK_CHANGED));

let shared: Desk | undefined;

/** The desk of this page. On the server every rendering gets one of its own. */
export function deskOf(context: DeskContext): Desk {
  if (typeof window === 'undefined') return makeDesk(context, NO_BACKEND);
  shared ??= makeDesk(context, deskBackend(context.backend, context.person.id));
  return shared;
}
