import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { call, callServer } from '../../support/newsroom.ts';

/* Auckland is 13 hours ahead of UTC in summer: the evening of a UTC day is the next day there. */
const ZONE = 'Pacific/Auckland';
const LAST_EVENING_OF_NOVEMBER = '2019-11-30T12:00:00Z';
const LAST_MORNING_OF_NOVEMBER = '2019-11-30T10:59:59Z';

let context: TestContext;
const searchWord = 'kahikatea';

async function createPastCoverage(at: string): Promise<string> {
  const [coverage_id, slug] = [randomUUID(), `past-${randomUUID().slice(0, 8)}`];
  const content = { slug, headline: `${searchWord} at ${at}` };
  await call(context.actors.editor.client, 'create_coverage', { coverage_id, content });
  await callServer(context.service, 'import_state', { coverage_id, state: 'live', at });
  return slug;
}

test.beforeAll(async ({ context: shared }) => {
  context = shared;
  await call(context.actors.owner.client, 'save_site', { content: { time_zone: ZONE } });
});

test('starts new coverages with the zone of the site, and keeps their own zone afterwards', async () => {
  const slug = await createPastCoverage('2018-01-01T00:00:00Z');
  const zoneOf = async () =>
    (await context.service.from('coverages').select('time_zone').eq('slug', slug).single()).data?.time_zone;
  expect(await zoneOf()).toBe(ZONE);
  await call(context.actors.owner.client, 'save_site', { content: { time_zone: 'Europe/London' } });
  expect(await zoneOf()).toBe(ZONE);
  await call(context.actors.owner.client, 'save_site', { content: { time_zone: ZONE } });
});

test('counts the months of the archive and the days of a search in the zone of the site', async () => {
  const before = await createPastCoverage(LAST_MORNING_OF_NOVEMBER);
  const after = await createPastCoverage(LAST_EVENING_OF_NOVEMBER);

  const { data } = await context.service.rpc('archive_months');
  const months = data as { month: string; coverages: number }[];
  expect(months.filter(({ month }) => month.startsWith('2019'))).toEqual([
    { month: '2019-12', coverages: 1 },
    { month: '2019-11', coverages: 1 },
  ]);
  const { data: sitemap } = await context.service.rpc('sitemap_pages');
  expect((sitemap as { months: string[] }).months).toEqual(expect.arrayContaining(['2019-11', '2019-12']));

  const slugsOf = async (filters: object) => {
    const { data } = await context.service.rpc('search', { filters: { query: searchWord, ...filters } });
    const { hits } = data as { hits: { coverage: { slug: string } }[] };
    return hits.map(({ coverage }) => coverage.slug);
  };
  expect(await slugsOf({ from: '2019-11-30', to: '2019-11-30' })).toEqual([before]);
  expect(await slugsOf({ from: '2019-12-01', to: '2019-12-01' })).toEqual([after]);
});
