import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import type { SavedUpdate } from '../../support/newsroom.ts';

/* Expected broadcasts on which channels when something changes: exactly these, in this order. */

export let database: TestDatabase;

export let editor: Claims & { sub: string };

export const callAs = (name: string, args: Record<string, unknown>, who: Claims = editor) =>
  database.call(who, [name, args]);

/** Creates a coverage in a state. @returns its id, from which its slug is made */
export async function makeCoverage(state: 'draft' | 'live' = 'live') {
  const coverage_id = randomUUID();
  const content = { slug: `case-${coverage_id}`, headline: 'A case' };
  await callAs('create_coverage', { coverage_id, content });
  if (state !== 'draft') await callAs('set_coverage_state', { coverage_id, state });
  return coverage_id;
}

export const publishIn = async (coverage_id: string, who: Claims = editor) =>
  (await callAs(
    'publish_update',
    { coverage_id, update_id: randomUUID(), content: contentOf('News.') },
    who,
  )) as SavedUpdate;

/**
 * The message to the site about the seq of a public coverage. `missing` and `photos`: whether it names these tags. The
 * other tags are tested in cache-tags.test.ts.
 */
export const toSite = (
  coverage: string,
  seq: number,
  { missing = false, photos = false, removed = false, slug = `case-${coverage}` } = {},
) => ({
  topic: 'site',
  event: 'change',
  payload: {
    coverage,
    seq,
    slug,
    removed,
    tags: expect.toSatisfy(
      (tags: string[]) =>
        tags.includes(`coverage:${coverage}`) &&
        tags.includes('missing') === missing &&
        tags.includes(`photos:${coverage}`) === photos,
    ),
  },
});

export const toReaders = (coverage: string, seq: number) => ({
  topic: `coverage:${coverage}`,
  event: 'change',
  payload: { seq, spread: LIMITS.reader_jitter_ms },
});

export const toDesk = (coverage: string, version: number, seq: number) => ({
  topic: `desk:${coverage}`,
  event: 'coverage',
  payload: { version, seq },
});

export const ofUpdate = (coverage: string, update: string, version: number) => ({
  topic: `desk:${coverage}`,
  event: 'update',
  payload: { update, version },
});

/** Prepares a database for the tests of a file. */
export function useBroadcasts(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    editor = await database.createUser('editor');
    // A first byline is another case, so the reporter gets one here.
    await publishIn(await makeCoverage());
  });
  afterAll(() => database.close());
}
