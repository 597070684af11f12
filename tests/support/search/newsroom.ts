import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { importFeed } from '../../../src/lib/cli/import/import-feed.ts';
import { readFeed } from '../../../src/lib/cli/import/read-feed.ts';
import { call, paragraph } from '../newsroom.ts';
import { type SearchOutcome, TRANSCRIPT } from './expectations.ts';

/** An update of the newsroom for searches. */
export type CorpusUpdate = { headline?: string; text: string; key_event?: boolean; at: string };

export type TestCoverage = {
  slug: string;
  headline: string;
  kicker?: string;
  standfirst?: string;
  language: string;
  topics?: string[];
  updates: CorpusUpdate[];
};

const on = (day: string, ...updates: Omit<CorpusUpdate, 'at'>[]): CorpusUpdate[] =>
  updates.map((one, n) => ({ ...one, at: `${day}T${String(10 + n).padStart(2, '0')}:00:00Z` }));

/** A newsroom for searches: five coverages in five languages. Numbers of updates start at 1. */
export const CORPUS: TestCoverage[] = [
  {
    slug: 'river',
    kicker: 'Flood',
    headline: 'The river rises at Harrow Bridge',
    standfirst: 'Low-lying streets are being cleared along the Swale.',
    language: 'en-GB',
    topics: ['weather'],
    updates: on(
      '2026-03-01',
      { text: 'Rain has fallen on Harrow since Friday. The Swale stands at 2.40 metres.' },
      { headline: 'Mill Lane is evacuated', text: 'Forty people left by bus.', key_event: true },
      { text: 'Crews are evacuating the lower streets. Sandbags are at the fire station.' },
      { text: 'The evacuation of the care home is complete, says Chief Constable Ruth Okonkwo-Lee.' },
      { text: 'The bridge at Harrow is closed to lorries. Café Müller hands out tea & soup.' },
      { text: 'Okonkwo-Lee: “Nobody is missing.” The school gym is open to all.' },
      { text: 'Train 1147 to Richmond is cancelled. Cars may use the A6108.' },
      { text: 'The water does not rise any more. The bridge may open tonight, not before eight.' },
      { headline: 'Harrow Bridge opens again', text: 'Lorries have to wait until Monday 🚚.' },
    ),
  },
  {
    slug: 'crecida',
    headline: 'Inundación en Ñuñoa',
    standfirst: 'El río se desborda al oriente de Santiago.',
    language: 'es',
    topics: ['weather', 'chile'],
    updates: on(
      '2026-03-05',
      { text: 'Las inundaciones cortan la avenida Grecia. Los bomberos evacúan un colegio.' },
      {
        headline: 'Un ñandú escapa del zoológico',
        text: 'El ñandú fue visto junto al río.',
        key_event: true,
      },
      { text: 'La evacuación del colegio terminó sin heridos, según la alcaldesa Emilia Ríos.' },
      { text: 'Bajó la lluvia. El puente de la calle Irarrázaval sigue cerrado.' },
    ),
  },
  {
    slug: 'reka',
    headline: 'Река выходит из берегов',
    language: 'ru',
    topics: ['weather'],
    updates: on(
      '2026-03-07',
      { text: 'Уровень реки поднялся на два метра. Жителей эвакуируют.' },
      { headline: 'Мост закрыт', text: 'Мост через реку закрыт для всех машин. Ещё идёт дождь.' },
    ),
  },
  {
    slug: 'sakurajima',
    headline: '桜島で噴火',
    language: 'ja',
    updates: on(
      '2026-04-02',
      { text: '鹿児島地方気象台によると、桜島の南岳で噴火が発生した。' },
      { text: '噴煙は火口から三千メートルの高さに達した。' },
      { text: '島内の小学校は休校となった。バスは運行している。' },
    ),
  },
  {
    slug: 'wadi',
    headline: 'الفيضانات تقطع الطريق',
    language: 'ar',
    updates: on('2026-04-09', { text: 'أُغلقت المدارس بسبب الأمطار.' }, { text: 'فُتح الجسر مرة أخرى.' }),
  },
];

/** A result as the database returns it. */
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
export type Answer = {
  hits: Hit[];
  total: number;
  more: boolean;
  page: number;
  corrected_query: string | null;
};

/** Searches as this client. @throws the database's error */
export async function search(client: SupabaseClient, query: string, more: object = {}): Promise<Answer> {
  const { data } = await client.rpc('search', { filters: { query, ...more } }).throwOnError();
  return data;
}

/** Returns the name that expectations use: a slug, or a slug with a number. */
export const nameOf = ({ coverage, number }: Hit) =>
  number === null ? coverage.slug : `${coverage.slug}/${number}`;

export async function searchOutcome(
  client: SupabaseClient,
  query: string,
  more: object = {},
): Promise<SearchOutcome> {
  const { hits, total, corrected_query } = await search(client, query, more);
  return { results: hits.map(nameOf), total, corrected_query };
}

/** Imports the test newsroom. @returns the ids of its coverages by slug */
export async function importCorpus(service: SupabaseClient): Promise<Record<string, string>> {
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

/** Imports all of Apollo 11. */
export async function importApollo(service: SupabaseClient): Promise<void> {
  const feed = readFeed(await readFile(TRANSCRIPT, 'utf8'));
  await importFeed(service, feed, { slug: 'apollo-11', state: 'ended', progress: () => {} });
}
