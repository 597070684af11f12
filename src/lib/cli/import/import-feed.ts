import { randomUUID } from 'node:crypto';
import { v5 as uuidFrom } from 'uuid';
import { type BackendClient, dataOf, runCommand } from '../../data/result.ts';
import type { Body } from '../../domain/body/blocks.ts';
import { suggestSlug } from '../../domain/coverages.ts';
import { IMPORT } from '../../i18n/cli.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import { refusalWithDetails, sentenceOf } from '../../i18n/refusals.ts';
import { BadFeed, type ImportedFeed, type Item } from './read-feed.ts';

/** An update in the form that the database imports. */
type ImportItem = {
  id: string;
  published_at: string;
  content: { headline?: string; body: Body; attribution?: string; key_event: boolean };
};

/** Derives the id of an update from its item, so that importing the item again finds the same update. */
export const updateId = (coverageId: string, itemId: string) => uuidFrom(itemId, coverageId);

export function importItem(coverageId: string, item: Item): ImportItem {
  return {
    id: updateId(coverageId, item.id),
    published_at: item.publishedAt.toISOString(),
    content: {
      ...(item.title && { headline: item.title }),
      ...(item.authors.length > 0 && { attribution: item.authors.join(', ') }),
      body: item.body,
      key_event: item.tags.includes('key-event'),
    },
  };
}

/** Items in one call. Small enough that people who publish meanwhile do not notice the delay. */
const BATCH = 50;

export type FeedImportOptions = {
  slug?: string | undefined;
  state?: 'live' | 'ended' | undefined;
  /** Receives the number of processed items. */
  progress?(done: number, of: number): void;
  /** Returns the body of an item with pictures that is about to be added. By default they stay links. */
  bodyOf?(coverageId: string, item: Item): Promise<Body>;
};

export type ImportResult = {
  slug: string;
  state: string;
  added: number;
  unchanged: number;
  /** Items older than the newest update. They cannot be inserted, because numbers never change. */
  refused: Item[];
};

type Coverage = { id: string; slug: string; state: string };

/**
 * Imports a feed as a new coverage, or its new items into the coverage with this slug. Writes nothing unless the
 * database would accept every item.
 * @throws BadFeed with the invalid items; Refused when the coverage cannot take them
 */
export async function importFeed(
  service: BackendClient,
  feed: ImportedFeed,
  options: FeedImportOptions,
): Promise<ImportResult> {
  const slug = options.slug ?? suggestSlug(feed.title);
  const known = await findCoverage(service, slug);
  const id = known?.id ?? randomUUID();
  const items = feed.items.map((item) => importItem(id, item));
  await check(service, feed.items, items);

  const coverage = known ?? (await createCoverage(service, id, slug, feed));
  if (['draft', 'scheduled'].includes(coverage.state)) {
    await setState(service, id, 'live', items[0]?.published_at);
  }
  const result = await write(service, id, feed.items, items, options);
  const state = await setFinalState(service, coverage, options.state, items.at(-1)?.published_at);
  return { slug: coverage.slug, state, ...result };
}

async function findCoverage(service: BackendClient, slug: string): Promise<Coverage | undefined> {
  const known = await dataOf(
    service.from('coverage_slugs').select('coverages(id, slug, state)').eq('slug', slug).maybeSingle(),
  );
  return known?.coverages;
}

async function createCoverage(
  service: BackendClient,
  id: string,
  slug: string,
  feed: ImportedFeed,
): Promise<Coverage> {
  const content = {
    slug,
    headline: feed.title,
    ...(feed.description && { standfirst: feed.description }),
    ...(feed.language && { language: feed.language }),
  };
  await runCommand(service, 'create_coverage', { coverage_id: id, content });
  return { id, slug, state: 'draft' };
}

async function check(service: BackendClient, items: Item[], updates: ImportItem[]): Promise<void> {
  const mistakes: string[] = [];
  const byId = new Map(updates.map(({ id }, n) => [id, items[n]]));
  for (const batch of batches(updates)) {
    const invalid = (await dataOf(service.rpc('check_import', { items: batch }))) as ({
      id: string;
    } & Record<string, unknown>)[];
    for (const { id, ...details } of invalid) {
      const item = byId.get(id);
      const refusal = await refusalWithDetails('invalid', details);
      const sentence = IMPORT.ofField(sentenceOf(refusal, messagesFor('en')), refusal.field);
      mistakes.push(IMPORT.wrongItem(item?.index ?? -1, item?.id, sentence));
    }
  }
  if (mistakes.length > 0) throw new BadFeed(mistakes);
}

async function write(
  service: BackendClient,
  coverageId: string,
  items: Item[],
  updates: ImportItem[],
  { progress, bodyOf }: FeedImportOptions,
) {
  const result = { added: 0, unchanged: 0, refused: [] as Item[] };
  const byId = new Map(updates.map(({ id }, n) => [id, items[n]]));
  let done = 0;
  for (const batch of batches(updates)) {
    const withPictures = batch.filter(({ id }) => byId.get(id)?.pictures);
    const added = bodyOf ? await missing(service, coverageId, withPictures) : [];
    let complete = 0;
    await Promise.all(
      added.map(async (update) => {
        const item = byId.get(update.id);
        if (item && bodyOf) update.content.body = await bodyOf(coverageId, item);
        complete += 1;
        progress?.(done + complete, updates.length);
      }),
    );
    const written = (await dataOf(
      service.rpc('import_updates', { coverage_id: coverageId, items: batch }),
    )) as {
      added: number;
      unchanged: number;
      refused: string[];
    };
    result.added += written.added;
    result.unchanged += written.unchanged;
    result.refused.push(...written.refused.flatMap((id) => byId.get(id) ?? []));
    done += batch.length;
    progress?.(done, updates.length);
  }
  return result;
}

/** Returns the updates that the database will add: those that it lacks and that are not older than its newest one. */
async function missing(
  service: BackendClient,
  coverageId: string,
  updates: ImportItem[],
): Promise<ImportItem[]> {
  if (updates.length === 0) return [];
  const ids = updates.map(({ id }) => id);
  const known = await dataOf(service.from('updates').select('id').in('id', ids));
  const newest = await dataOf(
    service
      .from('updates')
      .select('published_at')
      .eq('coverage_id', coverageId)
      .not('number', 'is', null)
      .order('number', { ascending: false })
      .limit(1)
      .maybeSingle(),
  );
  const since = Date.parse(newest?.published_at ?? '') || Number.NEGATIVE_INFINITY;
  const knownIds = new Set(known.map(({ id }) => id));
  return updates.filter(({ id, published_at }) => !knownIds.has(id) && Date.parse(published_at) >= since);
}

/** Sets the requested state. An ended coverage ends at the time of its last item. */
async function setFinalState(
  service: BackendClient,
  { id, state }: Coverage,
  target: FeedImportOptions['state'],
  last: string | undefined,
): Promise<string> {
  const now = ['draft', 'scheduled'].includes(state) ? 'live' : state;
  if (!target || target === now) return now;
  await setState(service, id, target, target === 'ended' ? last : undefined);
  return target;
}

async function setState(
  service: BackendClient,
  id: string,
  state: 'live' | 'ended',
  at = new Date().toISOString(),
) {
  await dataOf(service.rpc('import_state', { coverage_id: id, state, at }));
}

function* batches<One>(all: One[]): Generator<One[]> {
  for (let from = 0; from < all.length; from += BATCH) yield all.slice(from, from + BATCH);
}
