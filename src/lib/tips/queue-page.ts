import { isSlug } from '../coverage/slug.ts';
import type { Backend } from '../desk/read.ts';
import { dataOf } from '../supabase/answer.ts';
import { readTipCounts, type TipCounts } from './counts.ts';
import { FIRST_LOOK, isView, type QueueTip, type QueueWindow } from './queue.ts';
import { cursorOf, readQueue } from './queue-read.ts';

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
