import type { Backend } from '../desk/read.ts';
import { isUuid } from '../http/uuid.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Json } from '../supabase/database.types.ts';
import type { Cursor, QueueTip, QueueView, QueueWindow, TipHandler } from './queue.ts';

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
