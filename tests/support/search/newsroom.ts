import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { importFeed } from '../../../src/lib/cli/import/import-feed.ts';
import { readFeed } from '../../../src/lib/cli/import/read-feed.ts';
import { call, paragraph } from '../newsroom.ts';
import { TRANSCRIPT } from './apollo.ts';
import { CORPUS } from './corpus.ts';
import type { Answered } from './expected.ts';

/** As the database answers. */
export type Hit = {
  kind: 'coverage' | 'update';
  coverage: {
    slug: string;
    headline: string;
    kicker: string;
    state: string;
    language: string;
    time_zone: string;
  };
  number: number | null;
  headline: string | null;
  snippet: string;
  key_event: boolean;
  published_at: string | null;
  corrected: boolean;
};
export type Answer = { hits: Hit[]; total: number; more: boolean; page: number; meant: string | null };

/** Looks for something, as this client. @throws what the law refused it with */
export async function search(client: SupabaseClient, query: string, more: object = {}): Promise<Answer> {
  const { data } = await client.rpc('search', { wanted: { query, ...more } }).throwOnError();
  return data;
}

/** As expectations name it: a coverage by its slug, an update by its coverage and number. */
export const nameOf = ({ coverage, number }: Hit) =>
  number === null ? coverage.slug : `${coverage.slug}/${number}`;

export async function answered(client: SupabaseClient, query: string, more: object = {}): Promise<Answered> {
  const { hits, total, meant } = await search(client, query, more);
  return { found: hits.map(nameOf), total, meant };
}

/** Brings the made-up newsroom in. @returns the ids of its coverages by slug */
export async function bringCorpus(service: SupabaseClient): Promise<Record<string, string>> {
  for (const slug of new Set(CORPUS.flatMap(({ topics = [] }) => topics))) {
    await call(service, 'save_topic', { slug, name: slug });
  }
  const ids: Record<string, string> = {};
  for (const { updates, ...content } of CORPUS) {
    const coverage_id = randomUUID();
    ids[content.slug] = coverage_id;
    await call(service, 'create_coverage', { coverage_id, content });
    const at = updates[0]?.at;
    await service.rpc('import_state', { coverage_id, state: 'live', at }).throwOnError();
    const items = updates.map(({ at: published_at, text, ...more }) => ({
      id: randomUUID(),
      published_at,
      content: { body: [paragraph(text)], ...more },
    }));
    await service.rpc('import_updates', { coverage_id, items }).throwOnError();
  }
  return ids;
}

/** Brings Apollo 11 in, whole. */
export async function bringApollo(service: SupabaseClient): Promise<void> {
  const feed = readFeed(await readFile(TRANSCRIPT, 'utf8'));
  await importFeed(service, feed, { slug: 'apollo-11', state: 'ended', progress: () => {} });
}
