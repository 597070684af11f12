import { atom, computed, type ReadableAtom, type WritableAtom } from 'nanostores';
import {
  INITIAL_WINDOW,
  isTipOutdated,
  type QueueTip,
  type QueueWindow,
  readHandlers,
  TIPS_PER_PAGE,
  type TipCounts,
} from '../../lib/data/tip-queue.ts';
import type { Person } from '../../lib/domain/permissions.ts';
import type { QueueView } from '../../lib/domain/tips.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { type ChannelState, makeChannelConnection } from '../desk/channel.ts';
import { DESK_CHANGED } from '../desk/context.ts';
import { type FrozenRows, freezeRows } from '../desk/frozen-rows.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import { type DeskPresence, makePresence } from '../desk/presence.ts';
import { coalesceFetches, type DeskConnection, isVisible, startPolling } from '../desk/refetch.ts';
import { joinTipsChannel, queueFetcher, type TipChangeHandlers } from './refetch.ts';

/** The person who views the queue. */
export type QueuePerson = Pick<Person, 'id' | 'display_name' | 'role'>;

/** An open panel in the row of a tip. */
export type TipPanel =
  | { id: string; panel: 'use' | 'handOver' | 'reopen' }
  /** A colleague was faster, so the action was not executed. */
  | { id: string; panel: 'refused'; refusal: Refusal };

/** A finished action that can be undone for a moment, or that created an update. */
export type DoneTip = {
  id: string;
  kind: 'decline' | 'spam' | 'use';
  tip: QueueTip;
  /** The created update. */
  madeUpdate: { update: string; slug: string } | null;
};

export type TipQueueStore = {
  me: QueuePerson;
  /** Path of the queue's page after `/desk/`. */
  deskPath: string;
  backend: DeskBackend;
  /** The list as shown; frozen while it is in use. */
  list: FrozenRows<QueueTip>;
  $tips: ReadableAtom<QueueTip[]>;
  $counts: ReadableAtom<TipCounts | null>;
  $connection: ReadableAtom<DeskConnection | null>;
  $window: ReadableAtom<QueueWindow>;
  /** State of the queue's channel. */
  $channelState: ReadableAtom<ChannelState>;
  /** Colleagues at the queue and the tips that they work on. */
  presence: DeskPresence;
  $open: WritableAtom<TipPanel | null>;
  /** Result of the last action, to announce. */
  $announcement: WritableAtom<string>;
  $done: WritableAtom<DoneTip[]>;
  /** Actions without an answer, by tip id. */
  unanswered: Map<string, { actionKey: string; version: number }>;
  /** Ids of photos that this person has viewed here. */
  $seen: WritableAtom<ReadonlySet<string>>;
  /** Sets the queue that the server rendered. */
  setServedTips(tips: QueueTip[], counts: TipCounts | null): void;
  /** Puts current tips into the list at once. */
  apply(tips: QueueTip[]): void;
  /** Refetches some tips. Resolves afterwards. */
  refetchTips(ids: string[]): Promise<void>;
  refresh(): Promise<void>;
  setView(view: QueueView): void;
  /** Shows one tip alone. */
  showOnly(id: string): void;
  search(words: string): void;
  showOlder(): void;
  /** Starts channel and polling. Returns a function that stops them. */
  watch(): () => void;
};

/** Interval of polls while the channel is joined, because messages may be lost. */
const FALLBACK_POLL_MS = 30_000;

/** Interval of polls without a channel. It is longer than the desk's, because whole tips are fetched. */
export const POLL_MS = 15_000;

/**
 * Creates the tip queue.
 * @param start the first window
 */
export function makeTipQueue(
  messages: DeskMessages,
  me: QueuePerson,
  { deskPath, ...start }: Partial<QueueWindow> & Pick<TipQueueStore, 'deskPath'>,
  backend: DeskBackend,
): TipQueueStore {
  const $tips = atom<QueueTip[]>([]);
  const known = new Map<string, QueueTip>();
  const $counts = atom<TipCounts | null>(null);
  const $connection = atom<DeskConnection | null>(null);
  const $window = atom<QueueWindow>({ ...INITIAL_WINDOW, ...start });
  const $open = atom<TipPanel | null>(null);
  const list = freezeRows($tips, $open, (id) => known.get(id));
  const fetcher = queueFetcher(backend, me.id, { $tips, known, $connection, $window, $counts });
  const fetches = coalesceFetches(fetcher.read);
  const presence = makePresence(messages, me.id, () => backend.read(readHandlers));

  function refresh(): Promise<void> {
    presence.refresh();
    return fetches.request({ all: true });
  }
  const refetchTips = (ids: string[]) => fetches.request({ ids: new Set(ids) });

  const channel = makeChannelConnection<TipChangeHandlers>(
    (handlers) => backend.join((client, person) => joinTipsChannel(client, person, handlers)),
    computed($open, (open) => (open?.panel === 'use' ? open.id : null)),
    {
      onConnectionChange(isJoined) {
        if (!isJoined) presence.reset();
        void refresh();
      },
      tip(tip, version) {
        // Lets other scripts of the page update their counts.
        document.dispatchEvent(new Event(DESK_CHANGED));
        if (isVisible() && isTipOutdated(known.get(tip), version)) void refetchTips([tip]);
      },
      present: presence.update,
    },
  );

  function showWindow(part: Partial<QueueWindow>): void {
    $window.set({ ...$window.get(), most: TIPS_PER_PAGE, only: null, ...part });
    list.reset();
    void refresh();
  }

  /** Whether a poll is due: the channel reports changes only while it is joined. */
  function isDue(): boolean {
    const last = $connection.get();
    if (last?.state !== 'current') return true;
    const intervalMs = channel.$channelState.get() === 'joined' ? FALLBACK_POLL_MS : POLL_MS;
    return Date.now() - Date.parse(last.refetchedAt) >= intervalMs;
  }

  function leaveChannel(): void {
    channel.close();
    presence.reset();
  }

  return {
    me,
    deskPath,
    backend,
    list,
    $tips,
    $counts,
    $connection,
    $window,
    $channelState: channel.$channelState,
    presence,
    $open,
    $announcement: atom(''),
    $done: atom<DoneTip[]>([]),
    unanswered: new Map(),
    $seen: atom<ReadonlySet<string>>(new Set()),
    setServedTips(tips, counts) {
      if ($tips.get().length > 0 || $counts.get()) return;
      for (const tip of tips) known.set(tip.id, tip);
      $tips.set(tips);
      $counts.set(counts);
    },
    apply: (tips) => void fetcher.apply(tips),
    refetchTips,
    refresh,
    setView: (view) => showWindow({ view }),
    showOnly: (id) => showWindow({ only: id }),
    search: (query) => showWindow({ query }),
    showOlder: () => showWindow({ most: $window.get().most + TIPS_PER_PAGE }),
    watch() {
      // The channel is joined after a successful fetch, which proves that the token belongs to this person.
      const stops = [
        $connection.listen((now) => {
          if (now?.state === 'current') channel.open();
          else if (now?.state !== 'behind') leaveChannel();
        }),
        startPolling({
          onInterval() {
            if (isDue() && !fetches.current()) void refresh();
          },
          onVisible: refresh,
        }),
        leaveChannel,
        list.watch(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
