import { atom, type ReadableAtom, type WritableAtom } from 'nanostores';
import { readRoster, type UpdateCounts, type UpdateWindow, updatesById } from '../../lib/data/desk.ts';
import {
  FIRST_WINDOW,
  isRowOutdated,
  readNewestSaver,
  readVersions,
  type Saver,
  UPDATES_PER_PAGE,
  withContentOf,
} from '../../lib/data/desk-updates.ts';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';
import type { DeskUpdate, UpdateFilter } from '../../lib/domain/updates.ts';
import { makeOutbox, type Outbox } from '../outbox/outbox.ts';
import { watchQueuedText } from '../outbox/start-sending.ts';
import { makePhotoFollowUps, type PhotoFollowUps } from '../photos/follow-ups.ts';
import { openPhotoStore } from '../photos/photo-store.ts';
import { makePhotos, type Photos } from '../photos/photos.ts';
import { photoApi } from '../photos/send-photo.ts';
import { type DeskBackend, deskBackend, NO_BACKEND } from './backend.ts';
import { type ChannelState, type DeskChangeHandlers, makeChannelConnection } from './channel.ts';
import { DESK_CHANGED, type DeskContext, type OpenPanel } from './context.ts';
import { type FrozenRows, freezeRows } from './frozen-rows.ts';
import type { DeskMessages } from './messages.tsx';
import { saveDeskData } from './offline-desk.ts';
import { type DeskPresence, type Editing, makeEditing, makePresence } from './presence.ts';
import { coalesceFetches, type DeskConnection, deskFetcher, isVisible, startPolling } from './refetch.ts';

/** The coverage's updates: which are loaded, shown and counted. */
export type DeskUpdates = {
  $rows: ReadableAtom<DeskUpdate[]>;
  /** The list as shown; frozen while it is in use. */
  list: FrozenRows;
  /** Number of updates in each state, up to the limit of counting. */
  $counts: ReadableAtom<UpdateCounts>;
  $window: ReadableAtom<UpdateWindow>;
  /** Sets the list that the server rendered. */
  setServed(updates: DeskUpdate[]): void;
  /**
   * Reads the current version of an update.
   * @throws Refused
   */
  read(id: string): Promise<DeskUpdate | undefined>;
  /**
   * Returns an update with the content of one of its versions; undefined if there is no such content.
   * @throws Refused
   */
  readVersion(update: DeskUpdate, version: number): Promise<DeskUpdate | undefined>;
  /**
   * Returns the person who saved the newest version of an update, from this version on; null if it is not known.
   * @throws Refused
   */
  readSaver(id: string, version: number): Promise<Saver | null>;
  setFilter(filter: UpdateFilter): void;
  /** Filters the list by text. */
  search(words: string): void;
  showOlder(): void;
};

/** Whether the desk shows what the backend has. */
export type DeskSync = {
  $connection: ReadableAtom<DeskConnection | null>;
  /** State of the desk's channel. */
  $channelState: ReadableAtom<ChannelState>;
  /** Refetches everything. Resolves after a fetch that began after this call. */
  refresh(): Promise<void>;
};

/** The open panel, the announcement and the composed update of the page. */
export type DeskView = {
  /** The open panel; at most one. */
  $open: WritableAtom<OpenPanel | null>;
  /** Result of the last action, to announce. */
  $announcement: WritableAtom<string>;
  /** Id of the new update in the composer, which the list does not show; null while it is empty. */
  $composing: WritableAtom<string | null>;
  /** Id of the update whose publication the composer shows, so that the outbox does not show it too. */
  $published: WritableAtom<string | null>;
};

/** The parts of a coverage's desk. Functions and components declare which of them they use. */
export type Desk = {
  person: DeskPerson;
  $coverage: ReadableAtom<DeskCoverage>;
  updates: DeskUpdates;
  sync: DeskSync;
  /** Colleagues at this desk, and what this person edits. */
  presence: DeskPresence & Pick<Editing, 'reportEditing'>;
  /** Photos that this page uploads or shows. */
  photos: Photos;
  /** Photos that publications left out. */
  followUps: PhotoFollowUps;
  /** Commands of this person. */
  outbox: Outbox;
  view: DeskView;
  backend: DeskBackend;
  /** Starts channel, polling and outbox. Returns a function that stops them. */
  watch(): () => void;
};

/** Interval of polls while the channel is joined, because messages may be lost. */
const FALLBACK_POLL_MS = 30_000;

/** Creates the desk of a coverage, which its islands share. */
export function makeDesk(messages: DeskMessages, context: DeskContext, backend: DeskBackend): Desk {
  const { id } = context.coverage;
  const me = context.person.id;
  const $coverage = atom(context.coverage);
  const $updates = atom<DeskUpdate[]>([]);
  const $connection = atom<DeskConnection | null>(null);
  const $window = atom<UpdateWindow>(FIRST_WINDOW);
  const $open = atom<OpenPanel | null>(null);
  const $counts = atom<UpdateCounts>({});
  const list = freezeRows($updates, $open);

  const fetches = coalesceFetches(
    deskFetcher(backend, me, { $coverage, $updates, $connection, $window, $counts }),
  );
  const presence = makePresence(messages, me, () => backend.read((client) => readRoster(client, id)));
  function refresh(): Promise<void> {
    presence.refresh();
    return fetches.request({ all: true });
  }
  const photos = makePhotos(photoApi(backend, context.backend), openPhotoStore(me), {
    coverage: id,
    messages,
    watchText: (onChange) => watchQueuedText(me, onChange),
  });
  const $announcement = atom('');
  const outbox = makeOutbox({ person: me, coverage: context.coverage, send: backend.send });
  const editing = makeEditing($open);
  const channel = makeChannelConnection<DeskChangeHandlers>(
    (handlers) => backend.joinDesk(id, handlers),
    editing.$editing,
    {
      onConnectionChange(isJoined) {
        if (!isJoined) presence.reset();
        void refresh();
      },
      update(update, version) {
        announceDeskChange();
        const row = $updates.get().find((known) => known.id === update);
        if (isVisible() && isRowOutdated(row, version)) void fetches.request({ ids: new Set([update]) });
      },
      photo(photo) {
        const rows = $updates.get().filter(({ photos }) => photos.some(({ id }) => id === photo));
        if (isVisible() && rows.length > 0) {
          void fetches.request({ ids: new Set(rows.map((update) => update.id)) });
        }
      },
      // An import sends only this message, so the list is refetched too.
      coverage() {
        if (isVisible()) void refresh();
      },
      present: presence.update,
    },
  );

  /** Shows another window of the list. */
  function showWindow(window: UpdateWindow): void {
    $window.set(window);
    list.reset();
    void refresh();
  }

  /** Whether a poll is due: the channel reports changes only while it is joined. */
  function isDue(): boolean {
    const known = $connection.get();
    const isPushed = channel.$channelState.get() === 'joined' && known?.state === 'current';
    return !isPushed || Date.now() - Date.parse(known.refetchedAt) >= FALLBACK_POLL_MS;
  }

  /** Leaves the channel after the person lost access. */
  function leave(): void {
    channel.close();
    presence.reset();
  }

  async function read(update: string): Promise<DeskUpdate | undefined> {
    const [row] = await backend.read((client) => updatesById(client, [update]));
    return row;
  }

  const followUps = makePhotoFollowUps({
    person: context.person,
    $coverage,
    photos,
    backend,
    onAdded(count, number) {
      $announcement.set(messages.deskPhotos.waiting.added(count, number));
      void refresh();
    },
  });

  return {
    person: context.person,
    $coverage,
    updates: {
      $rows: $updates,
      list,
      $counts,
      $window,
      setServed(updates) {
        if ($updates.get().length === 0) $updates.set(updates);
      },
      read,
      async readVersion(update, version) {
        const [stored] = await backend.read((client) => readVersions(client, update.id, version + 1));
        return stored?.content && stored.version === version
          ? { ...withContentOf(update, stored), version }
          : undefined;
      },
      readSaver: (id, version) => backend.read((client) => readNewestSaver(client, id, version)),
      setFilter: (filter) => showWindow({ ...$window.get(), filter, most: UPDATES_PER_PAGE }),
      search: (words) => showWindow({ ...$window.get(), words, most: UPDATES_PER_PAGE }),
      showOlder: () => showWindow({ ...$window.get(), most: $window.get().most + UPDATES_PER_PAGE }),
    },
    sync: { $connection, $channelState: channel.$channelState, refresh },
    presence: { ...presence, reportEditing: editing.reportEditing },
    photos,
    followUps,
    outbox,
    view: { $open, $announcement, $composing: atom(null), $published: atom(null) },
    backend,
    watch() {
      // The channel is joined after a successful fetch, which proves that the token belongs to this person.
      const stops = [
        $connection.listen((now, before) => {
          if (now?.state === 'current') channel.open();
          else if (now?.state !== 'behind') leave();
          if (now?.state !== 'current' || before?.state === 'current') return;
          outbox.sendNow();
          photos.retryNow();
          followUps.sendNow();
        }),
        outbox.start(),
        followUps.start(),
        outbox.$pauseReason.listen((pauseReason) =>
          $announcement.set(pauseReason ? messages.outbox.holdUps[pauseReason] : ''),
        ),
        saveDeskData(context, { $coverage, $connection }),
        editing.watch(),
        startPolling({
          onInterval() {
            if (isDue() && !fetches.current()) void refresh();
          },
          onVisible: refresh,
        }),
        leave,
        list.watch(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Lets other scripts of the page update their counts. */
const announceDeskChange = () => document.dispatchEvent(new Event(DESK_CHANGED));

let shared: Desk | undefined;

/** The shared desk of this page. On the server every rendering gets its own. */
export function sharedDesk(messages: DeskMessages, context: DeskContext): Desk {
  if (typeof window === 'undefined') return makeDesk(messages, context, NO_BACKEND);
  shared ??= makeDesk(messages, context, deskBackend(context.backend, context.person.id));
  return shared;
}
