import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { ENGINE } from '../../support/data-folders.ts';
import {
  APOLLO,
  HOSTILE,
  hasTranscript,
  missing,
  QUERIES,
  WORDLESS,
} from '../../support/search/expectations.ts';
import { importApollo, importCorpus, search, searchOutcome } from '../../support/search/newsroom.ts';

let backend: OwnedBackend;
const reader = () => anonClient(backend);
/** Runs the job that updates the vocabulary, which is scheduled every ten seconds. */
const learn = () => backend.sql('select private.update_vocabulary(2000)');

beforeAll(async () => {
  backend = await startOwnedBackend();
  await importCorpus(serviceClient(backend));
  await learn();
});
afterAll(() => backend.stop());

test('finds the expected results', async () => {
  const faults: string[] = [];
  for (const expected of QUERIES) {
    faults.push(...missing(expected, await searchOutcome(reader(), expected.query)));
  }
  expect(faults).toEqual([]);
});

describe('a query', () => {
  test.each(WORDLESS)('is not “%s”, which says nothing', async (query) => {
    const { error, status } = await reader().rpc('search', { filters: { query } });
    expect({ status, message: error?.message, details: error?.details }).toEqual({
      status: 422,
      message: 'invalid',
      details: '{"field": "query", "reason": "no_searchable_word"}',
    });
  });

  test.each(['the', 'the of and'])('is not “%s”, which is in everything', async (query) => {
    const { error } = await reader().rpc('search', { filters: { query, coverage: 'river' } });
    expect(error).toMatchObject({
      message: 'invalid',
      details: '{"field": "query", "reason": "no_searchable_word"}',
    });
  });

  test.each(HOSTILE)('can contain any text: %.40s', async (query) => {
    const began = performance.now();
    const { error, status } = await reader().rpc('search', { filters: { query } });
    expect(error === null || (status === 422 && error.details?.startsWith('{"field": "query"')), query).toBe(
      true,
    );
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

test.runIf(hasTranscript && ENGINE === 'pglite')(
  'finds the expected results in the transcript of Apollo 11',
  { timeout: 60_000 },
  async () => {
    await importApollo(serviceClient(backend));
    await learn();
    const faults: string[] = [];
    for (const expected of APOLLO) {
      faults.push(...missing(expected, await searchOutcome(reader(), expected.query)));
    }
    expect(faults).toEqual([]);
    expect((await search(reader(), 'roger')).hits).toHaveLength(20);
  },
);
