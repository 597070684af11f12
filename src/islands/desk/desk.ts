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
import { makeOutbox, type Outbox } from '../outbox/outbox.ts';
import { watchQueuedText } from '../outbox/sending.ts';
import { photoApi } from '../photos/photo-backend.ts';
import { openPhotoStore } from '../photos/photo-store.ts';
import { makePhotos, type Photos } from '../photos/photos.ts';
import { type DeskBackend, deskBackend, NO_BACKEND } from './backend.ts';
import { type ChannelState, type DeskChangeHandlers, makeChannelConnection } from './channel.ts';
import { DESK_CHANGED, type DeskContext, type Panel } from './context.ts';
import { type FrozenRows, freezeRows } from './frozen-rows.ts';
import { saveDeskData } from './offline-desk.ts';
import { type DeskPresence, makeEditing, makePresence } from './presence.ts';
import { type Connection, coalesceFetches, deskFetcher, isVisible, startPolling } from './refetch.ts';

export type Desk = {
  person: DeskPerson;
  $coverage: ReadableAtom<DeskCoverage>;
  $updates: ReadableAtom<DeskUpdate[]>;
  /** The list as shown; frozen while it is in use. */
  list: FrozenRows;
  /** Number of updates in each state, up to the limit of counting. */
  $counts: ReadableAtom<UpdateCounts>;
  $connection: ReadableAtom<Connection | null>;
  $window: ReadableAtom<UpdateWindow>;
  /** State of the desk's channel. */
  $channelState: ReadableAtom<ChannelState>;
  /** Colleagues at this desk. */
  presence: DeskPresence;
  /** Photos that this page uploads or shows. */
  photos: Photos;
  /** The open panel; at most one. */
  $open: WritableAtom<Panel | null>;
  /** Result of the last action, to announce. */
  $announcement: WritableAtom<string>;
  /** Commands of this person. */
  outbox: Outbox;
  /** Id of the new update in the composer, which the list does not show; null while it is empty. */
  $composing: WritableAtom<string | null>;
  execute: DeskBackend['execute'];
  /** Backend for parts with their own queries. */
  backend: DeskBackend;
  /**
   * Fetches the description of a web page.
   * @throws Refused
   */
  unfurl(url: string): Promise<Link>;
  /**
   * People at this desk, for bylines.
   * @throws Refused
   */
  names(): Promise<DeskByline[]>;
  /**
   * Photos of this coverage that this person may use, filtered by text.
   * @throws Refused
   */
  usablePhotos(words: string, after?: string): Promise<UsablePhotos>;
  /**
   * Reports typing for presence.
   * @param id the update's id or `new`; null for an empty form
   */
  reportEditing(id: string | null): void;
  /** Sets the list that the server rendered. */
  setServedUpdates(updates: DeskUpdate[]): void;
  /**
   * Versions of the summary before a version, newest first.
   * @throws Refused
   */
  summaryVersions(before?: number): Promise<SummaryVersion[]>;
  /**
   * Versions of an update before a version, newest first.
   * @throws Refused
   */
  versions(update: string, before?: number): Promise<DeskVersion[]>;
  /** Reads the current version of an update. */
  readUpdate(id: string): Promise<DeskUpdate | undefined>;
  /** Starts channel, polling and outbox. Returns a function that stops them. */
  watch(): () => void;
  /** Refetches everything. Resolves after a fetch that began after this call. */
  refresh(): Promise<void>;
  setFilter(filter: UpdateFilter): void;
  /** Filters the list by text. */
  search(words: string): void;
  showOlder(): void;
};

/** Interval of polls while the channel is joined, because messages may be lost. */
const FALLBACK_POLL_MS = 30_000;

/** Creates the desk of a coverage, which its islands share. */
export function makeDesk(context: DeskContext, backend: DeskBackend): Desk {
  const { id } = context.coverage;
  const me = context.person.id;
  const $coverage = atom(context.coverage);
  const $updates = atom<DeskUpdate[]>([]);
  const $connection = atom<Connection | null>(null);
  const $window = atom<UpdateWindow>(FIRST_WINDOW);
  const $open = atom<Panel | null>(null);
  const $counts = atom<UpdateCounts>({});
  const list = freezeRows($updates, $open);

  const fetches = coalesceFetches(
    deskFetcher(backend, me, { $coverage, $updates, $connection, $window, $counts }),
  );
  const presence = makePresence(me, () => backend.read((client) => readRoster(client, id)));
  function refresh(): Promise<void> {
    presence.refresh();
    return fetches.request({ all: true });
  }
  const photos = makePhotos(photoApi(backend, context.backend), openPhotoStore(me), {
    coverage: id,
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
        if (isVisible() && isNews(row, version)) void fetches.request({ ids: new Set([update]) });
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

  return {
    person: context.person,
    $coverage,
    $updates,
    list,
    $counts,
    $connection,
    $window,
    $channelState: channel.$channelState,
    presence,
    photos,
    $open,
    $announcement: $announcement,
    outbox,
    $composing: atom(null),
    execute: backend.execute,
    backend,
    unfurl: (url) => backend.read((client) => unfurl(client, url)),
    names: () => backend.read((client) => readRoster(client, id)),
    usablePhotos: (words, after) => backend.read((client) => readUsablePhotos(client, id, words, after)),
    reportEditing: editing.reportEditing,
    refresh,
    watch() {
      // The channel is joined after a successful fetch, which proves that the token belongs to this person.
      const stops = [
        $connection.listen((now, before) => {
          if (now?.state === 'current') channel.open();
          else if (now?.state !== 'behind') leave();
          if (now?.state !== 'current' || before?.state === 'current') return;
          outbox.sendNow();
          photos.retryNow();
        }),
        outbox.start(),
        outbox.$pauseReason.listen((pauseReason) =>
          $announcement.set(pauseReason ? outboxMessages.holdUps[pauseReason] : ''),
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
    setServedUpdates(updates) {
      if ($updates.get().length === 0) $updates.set(updates);
    },
    summaryVersions: (before) => backend.read((client) => readSummaryVersions(client, id, before)),
    versions: (update, before) => backend.read((client) => readVersions(client, update, before)),
    async readUpdate(update) {
      const [row] = await backend.read((client) => updatesById(client, [update]));
      return row;
    },
    setFilter: (filter) => showWindow({ ...$window.get(), filter, most: PAGE }),
    search: (words) => showWindow({ ...$window.get(), words, most: PAGE }),
    showOlder: () => showWindow({ ...$window.get(), most: $window.get().most + PAGE }),
  };
}

/** Lets other scripts of the page update their counts. */
const announceDeskChange = () => document.dispatchEvent(new Event(DESK_CHANGED));

let shared: Desk | undefined;

/** The shared desk of this page. On the server every rendering gets its own. */
export function sharedDesk(context: DeskContext): Desk {
  if (typeof window === 'undefined') return makeDesk(context, NO_BACKEND);
  shared ??= makeDesk(context, deskBackend(context.backend, context.person.id));
  return shared;
}
