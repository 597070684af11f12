import type { SupabaseClient } from '@supabase/supabase-js';
import type { WritableAtom } from 'nanostores';
import {
  keptTips,
  placedTips,
  type QueueTip,
  type QueueWindow,
  readHandlers,
  readQueue,
  readTipCounts,
  type TipCounts,
  tipsById,
} from '../../lib/data/tip-queue.ts';
import type { Database } from '../../lib/domain/database.types.ts';
import type { Presence } from '../../lib/domain/presence.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { type ChannelLine, joinPrivate, type LineEars } from '../desk/channel.ts';
import {
  type Connection,
  connectionReader,
  type Looked,
  makeCounting,
  type Wanted,
} from '../desk/refetch.ts';

/** What a look finds. */
export type QueueShown = {
  $tips: WritableAtom<QueueTip[]>;
  /** Every tip as it is known now, those too that have left the list. */
  known: Map<string, QueueTip>;
  $connection: WritableAtom<Connection | null>;
  $window: WritableAtom<QueueWindow>;
  $counts: WritableAtom<TipCounts | null>;
};

/** Between an act and the counting of what waits then. */
const COUNT_MS = 1000;

/** Tips asked for by one call. */
const AT_ONCE = 50;

export type QueueReader = {
  read(wanted: Wanted): Promise<void>;
  /** Puts tips as they are now into the list. @returns false when only the database can tell where they belong */
  take(fresh: QueueTip[]): boolean;
};

/** Reads the queue as `me`, or some of its tips, into what is shown; failures go there too. */
export function queueReader(
  backend: DeskBackend,
  me: string,
  { $tips, known, $connection, $window, $counts }: QueueShown,
): QueueReader {
  let shownFor = $window.get();

  const isSameList = ({ view, query, coverage, only }: QueueWindow) =>
    shownFor.view === view &&
    shownFor.query === query &&
    shownFor.coverage === coverage &&
    shownFor.only === only;
  const count = () => backend.read((client) => readTipCounts(client, $window.get().coverage));
  const counting = makeCounting($counts, count, COUNT_MS);

  async function readAll(): Promise<Looked> {
    const window = $window.get();
    const [rows, counts] = await Promise.all([backend.read((client) => readQueue(client, window)), count()]);
    if (rows.length === 0) await expectPlace();
    if (window !== $window.get()) return null;
    const left = isSameList(window) ? await readLeft(rows) : [];
    if (!isSameList(window)) known.clear();
    shownFor = window;
    show(rows, [...rows, ...left]);
    counting.set(counts);
    backend.looked();
    return 'all';
  }

  /** Tips that are shown still although they have left: what became of them is seen too. */
  async function readLeft(rows: QueueTip[]): Promise<QueueTip[]> {
    const ids = new Set(rows.map(({ id }) => id));
    const left = $tips.get().filter(({ id }) => !ids.has(id));
    if (left.length === 0 || left.length > AT_ONCE) return [];
    return backend.read((client) =>
      tipsById(
        client,
        left.map(({ id }) => id),
      ),
    );
  }

  /** Who may see nothing is given nothing: that must not pass for an empty queue. */
  async function expectPlace(): Promise<void> {
    const handlers = await backend.read(readHandlers);
    if (!handlers.some(({ id }) => id === me)) throw new Refused(refusal('not_found'));
  }

  async function readSome(ids: string[]): Promise<Looked> {
    const fresh = await backend.read((client) => tipsById(client, ids));
    if (!take(fresh) || fresh.length < ids.length) return readAll();
    counting.soon();
    return 'some';
  }

  function take(fresh: QueueTip[]): boolean {
    const rows = placedTips($tips.get(), fresh, $window.get(), me);
    if (rows) show(rows, fresh);
    return rows !== undefined;
  }

  /** Whoever shows a row that has left looks into what is known: they are told of that too. */
  function show(rows: QueueTip[], fresh: QueueTip[]): void {
    const before = [...known.values()];
    let isNews = false;
    for (const tip of keptTips(before, fresh)) {
      isNews ||= known.get(tip.id) !== tip;
      known.set(tip.id, tip);
    }
    const shown = rows.map((tip) => known.get(tip.id) ?? tip);
    const now = $tips.get();
    isNews ||= shown.length !== now.length || shown.some((tip, index) => tip !== now[index]);
    if (isNews) $tips.set(shown);
  }

  return {
    take,
    read: connectionReader($connection, AT_ONCE, { all: readAll, some: readSome }),
  };
}

/** What the channel of tips tells: a tip has come, or something was done to it. */
export type TipNews = { tip(id: string, version: number): void };
export type TipEars = LineEars & TipNews;

/** The one line of a client, and everybody of its page who listens. */
type Hub = { line: ChannelLine; ears: Set<TipEars>; isJoined: boolean; here: Presence[] | null };

const hubs = new WeakMap<SupabaseClient<Database>, Hub>();

/**
 * Joins the private channel of tips under the person's own rights. A client has one place in a channel: parts of a
 * page that listen share it, and it is left when the last of them leaves.
 * @param person the id of the client's person
 */
export function openTipsLine(client: SupabaseClient<Database>, person: string, ears: TipEars): ChannelLine {
  const hub = hubs.get(client) ?? openHub(client, person);
  hub.ears.add(ears);
  if (hub.isJoined) {
    queueMicrotask(() => {
      if (!hub.isJoined || !hub.ears.has(ears)) return;
      ears.joined();
      if (hub.here) ears.present(hub.here);
    });
  }
  return {
    track: (presence) => hub.line.track(presence),
    leave() {
      if (!hub.ears.delete(ears) || hub.ears.size > 0 || hubs.get(client) !== hub) return;
      hubs.delete(client);
      hub.line.leave();
    },
  };
}

function openHub(client: SupabaseClient<Database>, person: string): Hub {
  const ears = new Set<TipEars>();
  const each = (tell: (one: TipEars) => void) => {
    for (const one of [...ears]) tell(one);
  };
  const turn = (isJoined: boolean) => {
    hub.isJoined = isJoined;
    if (!isJoined) hub.here = null;
  };
  const told: LineEars = {
    joined() {
      turn(true);
      each((one) => one.joined());
    },
    lost() {
      turn(false);
      each((one) => one.lost());
    },
    closed() {
      turn(false);
      hubs.delete(client);
      each((one) => one.closed());
    },
    present(here) {
      hub.here = here;
      each((one) => one.present(here));
    },
  };
  const line = joinPrivate(client, 'tips', person, told, (on) =>
    on('tip', ({ tip, version }) => {
      if (typeof tip !== 'string' || typeof version !== 'number') return;
      each((one) => one.tip(tip, version));
    }),
  );
  const hub: Hub = { line, ears, isJoined: false, here: null };
  hubs.set(client, hub);
  return hub;
}
