import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { SERVER } from '../../support/database.ts';
import { paragraph, type SavedUpdate } from '../../support/newsroom.ts';
import { callAs, database, makeCoverage, publishIn, useBroadcasts } from './broadcast-context.ts';

useBroadcasts();

/** The cache tags of the message that an action sends to the site, in alphabetical order, without the coverage's id. */
async function tagsOf(coverage: string, action: () => Promise<unknown>): Promise<string[]> {
  const sent = await database.broadcastsOf(action);
  const messages = sent
    .filter(({ topic }) => topic === 'site')
    .map(({ payload }) => payload as { tags: string[] });
  expect(messages).toHaveLength(1);
  return messages.flatMap(({ tags }) => tags.map((tag) => tag.replace(`:${coverage}`, ''))).sort();
}

/** Imports updates 1 to `count`, of which none is a key event. */
async function makeLongCoverage(count: number): Promise<{ coverage_id: string; ids: string[] }> {
  const coverage_id = await makeCoverage();
  const ids = Array.from({ length: count }, () => randomUUID());
  const items = ids.map((id, n) => ({
    id,
    content: { body: [paragraph('Old.')] },
    created_at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    published_at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  }));
  for (let from = 0; from < count; from += 500)
    await callAs('import_updates', { coverage_id, items: items.slice(from, from + 500) }, SERVER);
  return { coverage_id, ids };
}

describe('a publication', () => {
  test('names its page of the list and the two below it, and no older one', async () => {
    const { coverage_id } = await makeLongCoverage(95);
    expect(await tagsOf(coverage_id, () => publishIn(coverage_id))).toEqual([
      'coverage',
      'feeds',
      'list-page:10',
      'list-page:8',
      'list-page:9',
      'lists',
      'sitemaps',
      'updates',
    ]);
  });

  test('of many updates at once names the whole coverage', async () => {
    const coverage_id = await makeCoverage();
    const items = Array.from({ length: LIMITS.changes_per_answer + 1 }, () => ({
      id: randomUUID(),
      content: { body: [paragraph('Old.')] },
      created_at: '2026-01-01T00:00:00Z',
      published_at: '2026-01-01T00:00:00Z',
    }));
    const importing = () => callAs('import_updates', { coverage_id, items }, SERVER);
    const tags = await tagsOf(coverage_id, importing);
    expect(tags).toContain('coverage-fields');
    expect(tags.filter((tag) => tag.startsWith('list-page'))).toEqual([]);
  });
});

describe('a change of an older update', () => {
  test('names its own page of the list, and no list of coverages', async () => {
    const { coverage_id, ids } = await makeLongCoverage(95);
    const change = { update_id: ids[41], content: contentOf('Mended.') };
    expect(await tagsOf(coverage_id, () => callAs('revise_update', { ...change, version: 1 }))).toEqual([
      'coverage',
      'feeds',
      'list-page:5',
      'photos',
      'sitemaps',
      'updates',
    ]);
    const correcting = () =>
      callAs('correct_update', { ...change, version: 2, kind: 'correction', note: 'A name.' });
    expect(await tagsOf(coverage_id, correcting)).toEqual([
      'corrections',
      'coverage',
      'feeds',
      'list-page:5',
      'photos',
      'sitemaps',
      'updates',
    ]);
  });

  test.each([{ key_event: true }, { urgency: 'urgent' }])(
    'names lists of coverages that show it: %o',
    async (mark) => {
      const coverage_id = await makeCoverage();
      const { id: update_id } = await publishIn(coverage_id);
      const revise = (version: number, content: object) => () =>
        callAs('revise_update', { update_id, version, content: { ...contentOf('News.'), ...content } });
      expect(await tagsOf(coverage_id, revise(1, {}))).not.toContain('lists');
      expect(await tagsOf(coverage_id, revise(2, mark))).toContain('lists');
      expect(await tagsOf(coverage_id, revise(3, mark))).toContain('lists');
      // The lists showed the version before.
      expect(await tagsOf(coverage_id, revise(4, {}))).toContain('lists');
      expect(await tagsOf(coverage_id, revise(5, {}))).not.toContain('lists');
    },
  );

  test('names every list when it is withdrawn', async () => {
    const coverage_id = await makeCoverage();
    const { id: update_id } = (await publishIn(coverage_id)) as SavedUpdate;
    const withdrawing = () => callAs('withdraw_update', { update_id, reason: 'Wrong.' });
    expect(await tagsOf(coverage_id, withdrawing)).toEqual([
      'corrections',
      'coverage',
      'feeds',
      'list-page:1',
      'lists',
      'photos',
      'sitemaps',
      'updates',
    ]);
  });
});

describe('a change of a coverage', () => {
  const ALL = [
    'corrections',
    'coverage',
    'coverage-fields',
    'feeds',
    'lists',
    'missing',
    'photos',
    'sitemaps',
    'updates',
  ];

  test('names all of its pages when its state or its fields change', async () => {
    const coverage_id = await makeCoverage();
    await publishIn(coverage_id);
    const saving = () =>
      callAs('save_coverage', { coverage_id, version: 1, content: { headline: 'Renamed' } });
    expect(await tagsOf(coverage_id, saving)).toEqual(ALL);
    const ending = () => callAs('set_coverage_state', { coverage_id, state: 'ended' });
    expect(await tagsOf(coverage_id, ending)).toEqual(ALL);
  });

  test('names only its newest pages, search and sitemaps when its summary changes', async () => {
    const coverage_id = await makeCoverage();
    const summing = () => callAs('set_summary', { coverage_id, version: 1, summary: [paragraph('So far.')] });
    expect(await tagsOf(coverage_id, summing)).toEqual(['coverage', 'sitemaps', 'updates']);
  });

  test('names only its newest pages when a pin or the way of following changes', async () => {
    const coverage_id = await makeCoverage();
    const { id: update_id } = await publishIn(coverage_id);
    expect(await tagsOf(coverage_id, () => callAs('pin_update', { coverage_id, update_id }))).toEqual([
      'coverage',
      'sitemaps',
    ]);
    const following = { coverage_id, version: 1, content: { reader_follow_mode: 'checks' } };
    expect(await tagsOf(coverage_id, () => callAs('save_coverage', following))).toEqual(['coverage']);
  });
});
