import type { WritableAtom } from 'nanostores';
import { Refused, refusal } from '../../lib/http/errors.ts';
import { readTipCounts, type TipCounts } from '../../lib/tips/counts.ts';
import { keptTips, placedTips, type QueueTip, type QueueWindow } from '../../lib/tips/queue.ts';
import { readHandlers, readQueue, tipsById } from '../../lib/tips/queue-read.ts';
import type { DeskBackend } from '../browser/desk-backend.ts';
import { type Connection, connectionReader, type Looked, makeCounting } from './connection.ts';
import type { Wanted } from './wanted.ts';

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
