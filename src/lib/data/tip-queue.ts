import { isSlug } from '../domain/coverages.ts';
import type { Enums, Json } from '../domain/database.types.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import type { DeskPhoto } from '../domain/photos.ts';
import { QUEUE_VIEWS, type QueueView, type TipActionName, type TipState } from '../domain/tips.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Number of waiting tips. Counting stops at COUNTED. */
export type TipCounts = { new: number; mine: number; in_review: number; held: number };

/**
 * Returns the number of waiting tips.
 * @param coverage id of a coverage; null for all
 */
export async function readTipCounts(backend: BackendClient, coverage: string | null): Promise<TipCounts> {
  const counts = await dataOf(backend.rpc('tip_counts', coverage ? { coverage } : {}));
  return counts as unknown as TipCounts;
}

/** A tip as moderators see it. */
export type QueueTip = {
  id: string;
  body: string;
  name: string | null;
  contact: string | null;
  /** Whether the sender allows the name to be published. */
  may_be_named: boolean;
  state: TipState;
  held: boolean;
  /** Sign of an automated tip, if there is one. */
  suspicion: 'honeypot' | 'haste' | null;
  version: number;
  created_at: string;
  review_started_at: string | null;
  handled_at: string | null;
  /** The moderator who works on it or has handled it. */
  assigned: { id: string; name: string } | null;
  coverage: { id: string; slug: string; headline: string } | null;
  /** The update that uses the tip. `number` is set once it is published. */
  used_in: {
    update_id: string;
    coverage_slug: string;
    number: number | null;
    state: Enums<'update_state'>;
  } | null;
  photo: Pick<DeskPhoto, 'id' | 'state' | 'refusal_code' | 'width' | 'height' | 'renditions'> | null;
};

/** A person who can be given a tip. */
export type TipHandler = { id: string; display_name: string; role: Role };

export type QueueWindow = {
  view: QueueView;
  /** Search text; empty for all. */
  query: string;
  /** Id of the coverage; null for all. */
  coverage: string | null;
  /** Id of a single tip to show, in any state. */
  only: string | null;
  most: number;
};

/** Position after which the next page begins. */
type Cursor = { created_at: string; id: string };

/** Tips of a kind are counted up to this number. */
export const MAX_COUNT = 1000;

/** Number of tips that the list is extended by. */
export const TIPS_PER_PAGE = 30;

export const INITIAL_WINDOW: QueueWindow = {
  view: 'open',
  query: '',
  coverage: null,
  only: null,
  most: TIPS_PER_PAGE,
};

const isQueueView = (text: string | null): text is QueueView => QUEUE_VIEWS.some((view) => view === text);

/**
 * Whether a message about a version means that the tip must be read again. Changes of its photo or of the update that
 * uses it do not increase the version.
 */
export function isTipOutdated(tip: QueueTip | undefined, version: number): boolean {
  if (!tip || tip.version < version) return true;
  return tip.version === version && (tip.state === 'used' || tip.photo?.state === 'uploading');
}

/** Returns the number of tips in a view; null if it is not counted. */
export function countOf(view: QueueView, counts: TipCounts | null): number | null {
  if (!counts) return null;
  if (view === 'open') return counts.new + counts.in_review;
  return view === 'mine' ? counts.mine : view === 'held' ? counts.held : null;
}

/** Whether a tip belongs to a view, by the rules of the database. */
function isInView(tip: QueueTip, view: QueueView, me: string): boolean {
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
 * Updates a list with changed tips without a query: moves them to their positions and removes those that no longer
 * match. Returns undefined if only the database can tell, for a search or the end of the list.
 */
export function applyChangedTips(
  rows: QueueTip[],
  fresh: QueueTip[],
  { view, query, coverage, only, most }: QueueWindow,
  me: string,
): QueueTip[] | undefined {
  if (query.trim() !== '') return undefined;
  const byId = new Map([...rows, ...fresh].map((tip) => [tip.id, tip]));
  const matches = (tip: QueueTip) =>
    only ? tip.id === only : isInView(tip, view, me) && (coverage === null || tip.coverage?.id === coverage);
  const matching = [...byId.values()].filter(matches).sort(newestFirst);
  if (rows.length >= most && matching.length < most) return undefined;
  return matching.slice(0, most);
}

/** Timestamps come in one zone with equal precision, so they sort as text. */
function newestFirst(a: Cursor, b: Cursor): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Keeps the objects of unchanged tips, so that their rows are not rendered again. */
export function reuseTipObjects(before: QueueTip[], now: QueueTip[]): QueueTip[] {
  const known = new Map(before.map((tip) => [tip.id, tip]));
  return now.map((tip) => {
    const was = known.get(tip.id);
    return was && JSON.stringify(was) === JSON.stringify(tip) ? was : tip;
  });
}

const queuePath = '/desk/tips';

/** Path of a view of the queue. */
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

/* All reads use the caller's permissions: pages pass the client of a session, islands their own. */

/** Maximum number of tips in one call. */
const MAX_TIPS_PER_CALL = 50;

type QueueQuery = {
  view: QueueView | 'all';
  coverage?: string;
  query?: string;
  before?: Cursor;
  max_rows?: number;
  ids?: string[];
};

/** The generated types do not know the shape of the JSON. */
const fetchTips = async (backend: BackendClient, query: QueueQuery): Promise<QueueTip[]> =>
  (await dataOf(backend.rpc('tip_queue', { filters: query as Json }))) as unknown as QueueTip[];

/**
 * Returns the tips of a window, newest first.
 * @param after position after which the page begins
 */
export async function readQueue(
  backend: BackendClient,
  { view, query, coverage, only, most }: QueueWindow,
  after?: Cursor,
): Promise<QueueTip[]> {
  if (only) return tipsById(backend, [only]);
  const rows: QueueTip[] = [];
  let before = after;
  while (rows.length < most) {
    const count = Math.min(MAX_TIPS_PER_CALL, most - rows.length);
    const page = await fetchTips(backend, {
      view,
      max_rows: count,
      ...(coverage ? { coverage } : {}),
      ...(query.trim() ? { query: query.trim() } : {}),
      ...(before ? { before } : {}),
    });
    rows.push(...page);
    const last = page.at(-1);
    if (!last || page.length < count) break;
    before = { created_at: last.created_at, id: last.id };
  }
  return rows;
}

/** Returns tips by id, whatever view they belong to. */
export async function tipsById(backend: BackendClient, ids: string[]): Promise<QueueTip[]> {
  return ids.length === 0 ? [] : fetchTips(backend, { view: 'all', ids, max_rows: MAX_TIPS_PER_CALL });
}

/** Returns the people who can be given a tip. */
export async function readHandlers(backend: BackendClient): Promise<TipHandler[]> {
  return (await dataOf(backend.rpc('tip_handlers'))) as unknown as TipHandler[];
}

/** A coverage that accepts updates. */
export type OpenCoverage = { id: string; slug: string; headline: string; language: string };

/** Number of coverages to choose from. */
const MAX_COVERAGES = 50;

/** Returns the coverages that accept updates: live and paused first, then ended, newest first. */
export async function readOpenCoverages(backend: BackendClient): Promise<OpenCoverage[]> {
  const rows = await dataOf(
    backend
      .from('coverages')
      .select('id, slug, headline, language, state')
      .in('state', ['live', 'paused', 'ended'])
      .order('published_at', { ascending: false })
      .limit(MAX_COVERAGES),
  );
  const runs = (state: string) => (state === 'ended' ? 1 : 0);
  return rows.sort((a, b) => runs(a.state) - runs(b.state));
}

/** Reads the `before` parameter; undefined if it is invalid. */
export function parseCursor(text: string | null): Cursor | undefined {
  const [created_at = '', id = ''] = (text ?? '').split(',');
  return isUuid(id) && !Number.isNaN(Date.parse(created_at)) ? { created_at, id } : undefined;
}

/** Reads the tip queue for the query parameters. Ignores invalid ones. */
export async function queuePage(backend: BackendClient, parameters: URLSearchParams) {
  const coverage = await coverageOf(backend, parameters.get('coverage'));
  const view = parameters.get('view');
  const window: QueueWindow = {
    ...INITIAL_WINDOW,
    view: isQueueView(view) ? view : INITIAL_WINDOW.view,
    query: parameters.get('query') ?? '',
    coverage: coverage?.id ?? null,
  };
  const [tips, counts] = await Promise.all([
    readQueue(backend, window, parseCursor(parameters.get('before'))),
    readTipCounts(backend, window.coverage),
  ]);
  return { window, tips, counts, about: coverage && { slug: coverage.slug, headline: coverage.headline } };
}

async function coverageOf(backend: BackendClient, slug: string | null) {
  if (!slug || !isSlug(slug)) return null;
  return dataOf(backend.from('coverages').select('id, slug, headline').eq('slug', slug).maybeSingle());
}

/** Whether another person works on a tip. */
export const isAssignedToOther = (tip: Pick<QueueTip, 'state' | 'assigned'>, me: string) =>
  tip.state === 'in_review' && tip.assigned !== null && tip.assigned.id !== me;

/** Returns the actions that a person may take on a tip. A tip of another moderator can only be taken over. */
export function tipActionsOn(tip: QueueTip, me: string): TipActionName[] {
  if (isAssignedToOther(tip, me)) return ['takeOver'];
  // Every action on a held tip also releases it.
  if (tip.held) return ['release', 'decline', 'spam'];
  switch (tip.state) {
    case 'new':
      return ['take', 'use', 'decline', 'spam'];
    case 'in_review':
      return ['use', 'decline', 'spam', 'handOver'];
    case 'used':
      // A published quote is withdrawn at its desk, not here.
      return tip.used_in && tip.used_in.number === null ? ['reopen'] : [];
    default:
      return ['reopen'];
  }
}

/** Form for using a tip in an update. */
export type TipUseForm = ReturnType<typeof tipUseForm>;

/** @param update id of the update, created once, so that submitting twice creates one update */
export function tipUseForm(tip: QueueTip, update: string) {
  return {
    update,
    coverage: tip.coverage?.id ?? '',
    /** The sender's words, as quoted. */
    quote: tip.body,
    intro: '',
    headline: '',
    withPhoto: false,
    alt: '',
    caption: '',
  };
}

/** Arguments of the database function. */
type TipUseContent = {
  quote: string;
  intro?: string;
  headline?: string;
  photo?: { alt: string; caption?: string };
};

export function tipUseContent({
  quote,
  intro,
  headline,
  withPhoto,
  alt,
  caption,
}: TipUseForm): TipUseContent {
  const optional = (name: string, text: string) => (text.trim() ? { [name]: text.trim() } : {});
  return {
    quote: quote.trim(),
    ...optional('intro', intro),
    ...optional('headline', headline),
    ...(withPhoto ? { photo: { alt: alt.trim(), ...optional('caption', caption) } } : {}),
  };
}

/** Returns the name to credit; null without the sender's permission. */
export const creditOf = ({ name, may_be_named }: Pick<QueueTip, 'name' | 'may_be_named'>) =>
  may_be_named && name ? name : null;
