import { isSlug } from '../domain/coverages.ts';
import type { Enums, Json } from '../domain/database.types.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import type { DeskPhoto } from '../domain/photos.ts';
import { QUEUE_VIEWS, type QueueView, type TipState } from '../domain/tips.ts';
import type { Backend } from './desk.ts';
import { dataOf } from './result.ts';

/** How many wait, as far as they are counted. */
export type TipCounts = { new: number; mine: number; in_review: number; held: number };

/** How many wait. @param coverage its id; those of all, without it */
export async function readTipCounts(backend: Backend, coverage: string | null): Promise<TipCounts> {
  const counts = await dataOf(backend.rpc('tip_counts', coverage ? { coverage } : {}));
  return counts as unknown as TipCounts;
}

/** A tip as those see it who handle tips. */
export type QueueTip = {
  id: string;
  body: string;
  name: string | null;
  contact: string | null;
  /** The sender allows the name to be published. */
  may_name: boolean;
  state: TipState;
  held: boolean;
  /** What made it look like no person's, where something did. */
  suspect: 'honeypot' | 'haste' | null;
  version: number;
  created_at: string;
  taken_at: string | null;
  handled_at: string | null;
  /** Who has it, or dealt with it. */
  assigned: { id: string; name: string } | null;
  coverage: { id: string; slug: string; headline: string } | null;
  /** What was made of it; `number` once that was published. */
  used: {
    update_id: string;
    coverage_slug: string;
    number: number | null;
    state: Enums<'update_state'>;
  } | null;
  photo: Pick<DeskPhoto, 'id' | 'state' | 'refusal' | 'width' | 'height' | 'prints'> | null;
};

/** Somebody who may be given a tip. */
export type TipHandler = { id: string; display_name: string; role: Role };

export type QueueWindow = {
  view: QueueView;
  /** What they have to say, as somebody types it; empty for all. */
  query: string;
  /** The id of the coverage that they are about; null for all. */
  coverage: string | null;
  /** One tip alone, wherever it is in the queue. */
  only: string | null;
  most: number;
};

/** Where one list of tips ends and the next begins. */
export type Cursor = { created_at: string; id: string };

/** Up to so many of a kind are counted. */
export const COUNTED = 1000;

/** Tips that the list grows by. */
export const PAGE = 30;

export const FIRST_LOOK: QueueWindow = { view: 'open', query: '', coverage: null, only: null, most: PAGE };

export const isView = (text: string | null): text is QueueView => QUEUE_VIEWS.some((view) => view === text);

/** Whether a message that there is a version of a tip tells more than what is known of it. What becomes of its photo, and of what was made of it, leaves the version alone. */
export function isTipNews(tip: QueueTip | undefined, version: number): boolean {
  if (!tip || tip.version < version) return true;
  return tip.version === version && (tip.state === 'used' || tip.photo?.state === 'arriving');
}

/** How many a view has, where they are counted. */
export function countOf(view: QueueView, counts: TipCounts | null): number | null {
  if (!counts) return null;
  if (view === 'open') return counts.new + counts.in_review;
  return view === 'mine' ? counts.mine : view === 'held' ? counts.held : null;
}

/** Whether a tip is in a view, as the database has it too. */
export function belongs(tip: QueueTip, view: QueueView, me: string): boolean {
  switch (view) {
    case 'open':
      return (tip.state === 'new' || tip.state === 'in_review') && !tip.held;
    case 'mine':
      return tip.state === 'in_review' && tip.assigned?.id === me;
    case 'held':
      return tip.held;
    default:
      return tip.state === view;
  }
}

/**
 * The list once some tips are as they are now: each in its place, or gone when it does not belong to the window any
 * more. Undefined when only the database can tell: what a search finds, what comes in at the end of a list.
 */
export function placedTips(
  rows: QueueTip[],
  fresh: QueueTip[],
  { view, query, coverage, only, most }: QueueWindow,
  me: string,
): QueueTip[] | undefined {
  if (query.trim() !== '') return undefined;
  const byId = new Map([...rows, ...fresh].map((tip) => [tip.id, tip]));
  const isHere = (tip: QueueTip) =>
    only ? tip.id === only : belongs(tip, view, me) && (coverage === null || tip.coverage?.id === coverage);
  const here = [...byId.values()].filter(isHere).sort(newestFirst);
  if (rows.length >= most && here.length < most) return undefined;
  return here.slice(0, most);
}

/** The database gives times in one zone and as many digits as they have: as texts they are in the order of time. */
function newestFirst(a: Cursor, b: Cursor): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** The tips of a list that are not as they were: the rest stays the same objects, so that rows are not drawn anew. */
export function keptTips(before: QueueTip[], now: QueueTip[]): QueueTip[] {
  const known = new Map(before.map((tip) => [tip.id, tip]));
  return now.map((tip) => {
    const was = known.get(tip.id);
    return was && JSON.stringify(was) === JSON.stringify(tip) ? was : tip;
  });
}

export const queuePath = '/desk/tips';

/** The address of a window, for whoever goes there without a script and for whoever is sent it. */
export function windowPath(
  { view, query }: Pick<QueueWindow, 'view' | 'query'>,
  more: { coverage?: string | null; before?: Cursor | null } = {},
): string {
  return pathWith(queuePath, {
    view: view === 'open' ? null : view,
    query: query.trim() || null,
    coverage: more.coverage ?? null,
    before: more.before ? `${more.before.created_at},${more.before.id}` : null,
  });
}

/* Every read is under the caller's own rights: pages call these with a session's client, islands with theirs. */

/** Tips that one call gives at most. */
const AT_ONCE = 50;

type Wanted = {
  view: QueueView | 'all';
  coverage?: string;
  query?: string;
  before?: Cursor;
  most?: number;
  ids?: string[];
};

/** The database makes these objects: its types cannot say what is in them. */
const ask = async (backend: Backend, wanted: Wanted): Promise<QueueTip[]> =>
  (await dataOf(backend.rpc('tip_queue', { wanted: wanted as Json }))) as unknown as QueueTip[];

/** The tips of a window, the newest first. @param after where the list before it ended */
export async function readQueue(
  backend: Backend,
  { view, query, coverage, only, most }: QueueWindow,
  after?: Cursor,
): Promise<QueueTip[]> {
  if (only) return tipsById(backend, [only]);
  const rows: QueueTip[] = [];
  let before = after;
  while (rows.length < most) {
    const wants = Math.min(AT_ONCE, most - rows.length);
    const some = await ask(backend, {
      view,
      most: wants,
      ...(coverage ? { coverage } : {}),
      ...(query.trim() ? { query: query.trim() } : {}),
      ...(before ? { before } : {}),
    });
    rows.push(...some);
    const last = some.at(-1);
    if (!last || some.length < wants) break;
    before = { created_at: last.created_at, id: last.id };
  }
  return rows;
}

/** Tips by their ids, wherever they are in the queue. */
export async function tipsById(backend: Backend, ids: string[]): Promise<QueueTip[]> {
  return ids.length === 0 ? [] : ask(backend, { view: 'all', ids, most: AT_ONCE });
}

/** Everybody who may be given a tip. */
export async function readHandlers(backend: Backend): Promise<TipHandler[]> {
  return (await dataOf(backend.rpc('tip_handlers'))) as unknown as TipHandler[];
}

/** A coverage that an update may go into now. */
export type Taking = { id: string; slug: string; headline: string; language: string };

/** Coverages to choose from; the rest is over long since. */
const TAKING = 50;

/** The coverages that take updates, those that run first, then the newest. */
export async function readTaking(backend: Backend): Promise<Taking[]> {
  const rows = await dataOf(
    backend
      .from('coverages')
      .select('id, slug, headline, language, state')
      .in('state', ['live', 'paused', 'ended'])
      .order('published_at', { ascending: false })
      .limit(TAKING),
  );
  const runs = (state: string) => (state === 'ended' ? 1 : 0);
  return rows.sort((a, b) => runs(a.state) - runs(b.state));
}

/** Where a list goes on, as an address says it; nothing where it says it wrongly. */
export function cursorOf(text: string | null): Cursor | undefined {
  const [created_at = '', id = ''] = (text ?? '').split(',');
  return isUuid(id) && !Number.isNaN(Date.parse(created_at)) ? { created_at, id } : undefined;
}

/** The queue as a page begins with it. */
export type QueuePage = {
  window: QueueWindow;
  tips: QueueTip[];
  counts: TipCounts;
  about: { slug: string; headline: string } | null;
};

/** What an address asks of the queue; what it asks wrongly is not asked. */
export async function queuePage(backend: Backend, asked: URLSearchParams): Promise<QueuePage> {
  const coverage = await coverageOf(backend, asked.get('coverage'));
  const view = asked.get('view');
  const window: QueueWindow = {
    ...FIRST_LOOK,
    view: isView(view) ? view : FIRST_LOOK.view,
    query: asked.get('query') ?? '',
    coverage: coverage?.id ?? null,
  };
  const [tips, counts] = await Promise.all([
    readQueue(backend, window, cursorOf(asked.get('before'))),
    readTipCounts(backend, window.coverage),
  ]);
  return { window, tips, counts, about: coverage && { slug: coverage.slug, headline: coverage.headline } };
}

async function coverageOf(backend: Backend, slug: string | null) {
  if (!slug || !isSlug(slug)) return null;
  return dataOf(backend.from('coverages').select('id, slug, headline').eq('slug', slug).maybeSingle());
}
