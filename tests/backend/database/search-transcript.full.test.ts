import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { APOLLO, hasTranscript, missing } from '../../support/search/expectations.ts';
import { importApollo, importCorpus, search, searchOutcome } from '../../support/search/newsroom.ts';

let backend: OwnedBackend;
const reader = () => anonClient(backend);

beforeAll(async () => {
  backend = await startOwnedBackend();
  await importCorpus(serviceClient(backend));
});
afterAll(() => backend.stop());

test.runIf(hasTranscript && ENGINE === 'pglite')(
  'finds the expected results in the transcript of Apollo 11',
  { timeout: 240_000 },
  async () => {
    await importApollo(serviceClient(backend));
    // Runs the job that updates the vocabulary, which is scheduled every ten seconds.
    await backend.sql('select private.update_vocabulary(2000)');
    const faults: string[] = [];
    for (const expected of APOLLO) {
      faults.push(...missing(expected, await searchOutcome(reader(), expected.query)));
    }
    expect(faults).toEqual([]);
    expect((await search(reader(), 'roger')).hits).toHaveLength(20);
  },
);
