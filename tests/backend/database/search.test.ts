import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { HOSTILE, missing, QUERIES, WORDLESS } from '../../support/search/expectations.ts';
import { importCorpus, searchOutcome } from '../../support/search/newsroom.ts';

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

async function durationOf(query: string): Promise<number> {
  const began = performance.now();
  await reader().rpc('search', { filters: { query } }).throwOnError();
  return performance.now() - began;
}

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
    const usual = await durationOf('river');
    const began = performance.now();
    const { error, status } = await reader().rpc('search', { filters: { query } });
    expect(error === null || (status === 422 && error.details?.startsWith('{"field": "query"')), query).toBe(
      true,
    );
    // A busy machine is slow for every query.
    expect(performance.now() - began, `milliseconds of ${query}`).toBeLessThan(Math.max(1_000, 20 * usual));
  });
});
