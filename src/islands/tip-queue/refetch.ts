import type { WritableAtom } from 'nanostores';
import type { BackendClient } from '../../lib/data/result.ts';
import {
  applyChangedTips,
  type QueueTip,
  type QueueWindow,
  readHandlers,
  readQueue,
  readTipCounts,
  reuseTipObjects,
  type TipCounts,
  tipsById,
} from '../../lib/data/tip-queue.ts';
import type { Presence } from '../../lib/domain/desk.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { type ChannelHandle, type ChannelHandlers, joinPrivateChannel } from '../desk/channel.ts';
import {
  type DeskConnection,
  type FetchRequest,
  type FetchResult,
  fetchWithStatus,
  makeCounts,
} from '../desk/refetch.ts';

/** Stores that the fetcher updates. */
type QueueStores = {
  $tips: WritableAtom<QueueTip[]>;
  /** Current version of every known tip, including removed ones. */
  known: Map<string, QueueTip>;
  $connection: WritableAtom<DeskConnection | null>;
  $window: WritableAtom<QueueWindow>;
  $counts: WritableAtom<TipCounts | null>;
};

/** Delay between a change and counting. */
const COUNT_DELAY_MS = 1000;

/** Tip ids per request. */
const MAX_IDS = 50;

type QueueFetcher = {
  read(request: FetchRequest): Promise<void>;
  /**
   * Puts current tips into the list.
   * @returns false when only the database knows their position
   */
  apply(fetched: QueueTip[]): boolean;
};

/** Fetches the queue or single tips into its stores, including the connection state. */
export function queueFetcher(
  backend: DeskBackend,
  me: string,
  { $tips, known, $connection, $window, $counts }: QueueStores,
): QueueFetcher {
  let shownFor = $window.get();

  const isSameList = ({ view, query, coverage, only }: QueueWindow) =>
    shownFor.view === view &&
    shownFor.query === query &&
    shownFor.coverage === coverage &&
    shownFor.only === only;
  const count = () => backend.read((client) => readTipCounts(client, $window.get().coverage));
  const counter = makeCounts($counts, count, COUNT_DELAY_MS);

  async function readAll(): Promise<FetchResult> {
    const window = $window.get();
    const [rows, counts] = await Promise.all([backend.read((client) => readQueue(client, window)), count()]);
    if (rows.length === 0) await requirePermission();
    if (window !== $window.get()) return null;
    const removed = isSameList(window) ? await readRemoved(rows) : [];
    if (!isSameList(window)) known.clear();
    shownFor = window;
    show(rows, [...rows, ...removed]);
    counter.set(counts);
    backend.refetched();
    return 'all';
  }

  /** Fetches tips that are still shown after they left the list. */
  async function readRemoved(rows: QueueTip[]): Promise<QueueTip[]> {
    const ids = new Set(rows.map(({ id }) => id));
    const removed = $tips.get().filter(({ id }) => !ids.has(id));
    if (removed.length === 0 || removed.length > MAX_IDS) return [];
    return backend.read((client) =>
      tipsById(
        client,
        removed.map(({ id }) => id),
      ),
    );
  }

  /** Without permission the database returns no tips, which must not look like an empty queue. */
  async function requirePermission(): Promise<void> {
    const handlers = await backend.read(readHandlers);
    if (!handlers.some(({ id }) => id === me)) throw new Refused('not_found');
  }

  async function readSome(ids: string[]): Promise<FetchResult> {
    const fetched = await backend.read((client) => tipsById(client, ids));
    if (!apply(fetched) || fetched.length < ids.length) return readAll();
    counter.countLater();
    return 'some';
  }

  function apply(fetched: QueueTip[]): boolean {
    const rows = applyChangedTips($tips.get(), fetched, $window.get(), me);
    if (rows) show(rows, fetched);
    return rows !== undefined;
  }

  /** Also notifies about removed tips, because a frozen list still shows them. */
  function show(rows: QueueTip[], fetched: QueueTip[]): void {
    const before = [...known.values()];
    let hasChanged = false;
    for (const tip of reuseTipObjects(before, fetched)) {
      hasChanged ||= known.get(tip.id) !== tip;
      known.set(tip.id, tip);
    }
    const shown = rows.map((tip) => known.get(tip.id) ?? tip);
    const now = $tips.get();
    hasChanged ||= shown.length !== now.length || shown.some((tip, index) => tip !== now[index]);
    if (hasChanged) $tips.set(shown);
  }

  return {
    apply,
    read: fetchWithStatus($connection, MAX_IDS, { all: readAll, some: readSome }),
  };
}

/** Handlers for the tips' channel: a tip is new or has changed. */
export type TipChangeHandlers = { tip(id: string, version: number): void };
type TipHandlers = ChannelHandlers & TipChangeHandlers;

/** The one channel of a client and its listeners on the page. */
type SharedChannel = {
  channel: ChannelHandle;
  listeners: Set<TipHandlers>;
  isJoined: boolean;
  presences: Presence[] | null;
};

const channels = new WeakMap<BackendClient, SharedChannel>();

/**
 * Joins the private channel of tips with the person's permissions. A client can join a channel once, so several parts
 * of a page share it; it is left with the last listener.
 */
export function joinTipsChannel(
  client: BackendClient,
  person: string,
  listeners: TipHandlers,
): ChannelHandle {
  const shared = channels.get(client) ?? openSharedChannel(client, person);
  shared.listeners.add(listeners);
  if (shared.isJoined) {
    queueMicrotask(() => {
      if (!shared.isJoined || !shared.listeners.has(listeners)) return;
      listeners.joined();
      if (shared.presences) listeners.present(shared.presences);
    });
  }
  return {
    track: (presence) => shared.channel.track(presence),
    leave() {
      if (!shared.listeners.delete(listeners) || shared.listeners.size > 0 || channels.get(client) !== shared)
        return;
      channels.delete(client);
      shared.channel.leave();
    },
  };
}

function openSharedChannel(client: BackendClient, person: string): SharedChannel {
  const listeners = new Set<TipHandlers>();
  const notifyAll = (notifyListener: (listener: TipHandlers) => void) => {
    for (const listener of [...listeners]) notifyListener(listener);
  };
  const setJoined = (isJoined: boolean) => {
    shared.isJoined = isJoined;
    if (!isJoined) shared.presences = null;
  };
  const channelHandlers: ChannelHandlers = {
    joined() {
      setJoined(true);
      notifyAll((listener) => listener.joined());
    },
    lost() {
      setJoined(false);
      notifyAll((listener) => listener.lost());
    },
    closed() {
      setJoined(false);
      channels.delete(client);
      notifyAll((listener) => listener.closed());
    },
    present(presences) {
      shared.presences = presences;
      notifyAll((listener) => listener.present(presences));
    },
  };
  const channel = joinPrivateChannel(client, 'tips', person, channelHandlers, (on) =>
    on('tip', ({ tip, version }) => {
      if (typeof tip !== 'string' || typeof version !== 'number') return;
      notifyAll((listener) => listener.tip(tip, version));
    }),
  );
  const shared: SharedChannel = { channel, listeners, isJoined: false, presences: null };
  channels.set(client, shared);
  return shared;
}
