import { atom, computed, type ReadableAtom, type WritableAtom } from 'nanostores';
import {
  FIRST_LOOK,
  isTipNews,
  PAGE,
  type QueueTip,
  type QueueWindow,
  readHandlers,
  type TipCounts,
} from '../../lib/data/tip-queue.ts';
import type { Person } from '../../lib/domain/permissions.ts';
import type { QueueView } from '../../lib/domain/tips.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { type LineState, makeLine } from '../desk/channel.ts';
import { type HeldRows, makeHeld } from '../desk/frozen-rows.ts';
import { type DeskPresence, makePresence } from '../desk/presence.ts';
import { type Connection, isSeen, keepLooking, readTogether } from '../desk/refetch.ts';
import { DESK_CHANGED } from '../live-feed/store.ts';
import { openTipsLine, queueReader, type TipNews } from './refetch.ts';

/** Whoever looks at the queue. */
export type Handler = Pick<Person, 'id' | 'display_name' | 'role'>;

/** What is open in the row of a tip. */
export type TipPanel =
  | { id: string; panel: 'use' | 'handOver' | 'reopen' }
  /** Somebody was quicker: what was pressed was not done. */
  | { id: string; panel: 'refused'; refusal: Refusal };

/** Something that was done and can be recalled for a moment, or leads somewhere. */
export type DoneTip = {
  id: string;
  act: 'decline' | 'spam' | 'use';
  tip: QueueTip;
  /** Where the update is that was made of it. */
  made: { update: string; slug: string } | null;
};

export type TipQueue = {
  me: Handler;
  /** Where it stands at the desk: what comes after `/desk/`. */
  place: string;
  backend: DeskBackend;
  /** The list as it is shown: it stands still while it is used. */
  list: HeldRows<QueueTip>;
  $tips: ReadableAtom<QueueTip[]>;
  $counts: ReadableAtom<TipCounts | null>;
  $connection: ReadableAtom<Connection | null>;
  $window: ReadableAtom<QueueWindow>;
  /** Whether the queue hears what happens, or has to look for it. */
  $line: ReadableAtom<LineState>;
  /** Who else is at the queue, and at which tip. */
  presence: DeskPresence;
  $open: WritableAtom<TipPanel | null>;
  /** What was done last, to be announced. */
  $said: WritableAtom<string>;
  $done: WritableAtom<DoneTip[]>;
  /** What was pressed and not answered yet, by the tip's id: which act, over which version. */
  unanswered: Map<string, { what: string; version: number }>;
  /** The photos that this person has looked at here, by their ids. */
  $seen: WritableAtom<ReadonlySet<string>>;
  /** The queue that the page was made with. */
  begin(tips: QueueTip[], counts: TipCounts | null): void;
  /** Puts tips into the list as they are now known to be, at once. */
  take(fresh: QueueTip[]): void;
  /** Looks at some tips anew; resolves when that has ended. */
  look(ids: string[]): Promise<void>;
  refresh(): Promise<void>;
  show(view: QueueView): void;
  /** Shows one tip alone, wherever it is. */
  showOnly(id: string): void;
  search(words: string): void;
  showOlder(): void;
  /** Listens and looks for as long as the queue is on the screen. Returns what ends it. */
  watch(): () => void;
};

/** Between two looks while the line tells what happens: a net, because messages may be lost. */
const NET_MS = 30_000;

/** And while it does not. Whole tips are read: not as often as a desk looks at what has changed. */
export const LOOK_MS = 15_000;

/** The queue of tips, as somebody looks at it. @param start what is looked at first */
export function makeTipQueue(
  me: Handler,
  { place, ...start }: Partial<QueueWindow> & Pick<TipQueue, 'place'>,
  backend: DeskBackend,
): TipQueue {
  const $tips = atom<QueueTip[]>([]);
  const known = new Map<string, QueueTip>();
  const $counts = atom<TipCounts | null>(null);
  const $connection = atom<Connection | null>(null);
  const $window = atom<QueueWindow>({ ...FIRST_LOOK, ...start });
  const $open = atom<TipPanel | null>(null);
  const list = makeHeld($tips, $open, (id) => known.get(id));
  const reader = queueReader(backend, me.id, { $tips, known, $connection, $window, $counts });
  const reading = readTogether(reader.read);
  const presence = makePresence(me.id, () => backend.read(readHandlers));

  function refresh(): Promise<void> {
    presence.look();
    return reading.want({ all: true });
  }
  const look = (ids: string[]) => reading.want({ ids: new Set(ids) });

  const line = makeLine<TipNews>(
    (ears) => backend.join((client, person) => openTipsLine(client, person, ears)),
    computed($open, (open) => (open?.panel === 'use' ? open.id : null)),
    {
      turned(isJoined) {
        if (!isJoined) presence.lost();
        void refresh();
      },
      tip(tip, version) {
        // Whoever counts what waits on this page need not wait for the next time.
        document.dispatchEvent(new Event(DESK_CHANGED));
        if (isSeen() && isTipNews(known.get(tip), version)) void look([tip]);
      },
      present: presence.heard,
    },
  );

  function lookAt(part: Partial<QueueWindow>): void {
    $window.set({ ...$window.get(), most: PAGE, only: null, ...part });
    list.renew();
    void refresh();
  }

  /** Whatever the line does not tell has to be looked for. */
  function isDue(): boolean {
    const last = $connection.get();
    if (last?.state !== 'current') return true;
    const every = line.$line.get() === 'joined' ? NET_MS : LOOK_MS;
    return Date.now() - Date.parse(last.lookedAt) >= every;
  }

  function leave(): void {
    line.close();
    presence.lost();
  }

  return {
    me,
    place,
    backend,
    list,
    $tips,
    $counts,
    $connection,
    $window,
    $line: line.$line,
    presence,
    $open,
    $said: atom(''),
    $done: atom<DoneTip[]>([]),
    unanswered: new Map(),
    $seen: atom<ReadonlySet<string>>(new Set()),
    begin(tips, counts) {
      if ($tips.get().length > 0 || $counts.get()) return;
      for (const tip of tips) known.set(tip.id, tip);
      $tips.set(tips);
      $counts.set(counts);
    },
    take: (fresh) => void reader.take(fresh),
    look,
    refresh,
    show: (view) => lookAt({ view }),
    showOnly: (id) => lookAt({ only: id }),
    search: (query) => lookAt({ query }),
    showOlder: () => lookAt({ most: $window.get().most + PAGE }),
    watch() {
      // Whoever was reached knows whose token this is: not before that is there anything to join with.
      const stops = [
        $connection.listen((now) => {
          if (now?.state === 'current') line.open();
          else if (now?.state !== 'behind') leave();
        }),
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
  };
}
