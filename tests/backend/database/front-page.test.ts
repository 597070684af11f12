import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { createCoverageIn, errorOf, openTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let editor: Claims & { sub: string };

beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
});
afterAll(() => database?.close());

const arrange = (ids: readonly string[] | null, who: Claims = editor) =>
  database.call(who, ['arrange_front_page', { coverage_ids: ids && `{${ids}}` }]);

const createCoverage = async (...states: string[]) =>
  (await createCoverageIn(database, ...states)).coverage_id;

/** The arranged coverages in their order. */
const arranged = async () => {
  const rows = await database.rows<{ id: string; position: number }>(
    'select id, front_page_position::int as position from public.coverages where front_page_position is not null order by 2',
  );
  return (rows as { id: string; position: number }[]).map(({ id, position }) => [position, id]);
};

test('arranging the front page sets, exchanges and removes positions', async () => {
  const [one, two, three] = [
    await createCoverage('live'),
    await createCoverage('live', 'ended'),
    await createCoverage('live'),
  ];
  await arrange([one, two]);
  expect(await arranged()).toEqual([
    [1, one],
    [2, two],
  ]);
  await arrange([two, one, three]);
  expect(await arranged()).toEqual([
    [1, two],
    [2, one],
    [3, three],
  ]);
  await arrange([]);
  expect(await arranged()).toEqual([]);
});

test('arranging announces lists to the site once, and nothing to readers', async () => {
  const coverage = await createCoverage('live');
  const [announcement, ...others] = await database.broadcastsOf(() => arrange([coverage]));
  expect(others).toEqual([]);
  expect(announcement).toEqual({
    topic: 'site',
    event: 'change',
    payload: { site: expect.any(Number), tags: ['lists'], removed: false },
  });
});

test('an invalid order is refused, and the former one remains', async () => {
  const shown = await createCoverage('live');
  const draft = await createCoverage();
  await arrange([shown]);
  const tooMany = Array.from({ length: 21 }, () => randomUUID());
  for (const ids of [[shown, shown], [shown, draft], [randomUUID()], tooMany, null]) {
    expect(await errorOf(arrange(ids))).toEqual({ code: 'invalid', field: 'coverage_ids' });
    expect(await arranged()).toEqual([[1, shown]]);
  }
});

test('a reporter may not arrange the front page', async () => {
  const coverage = await createCoverage('live');
  await arrange([]);
  expect(await errorOf(arrange([coverage], await database.createUser('reporter')))).toMatchObject({
    code: 'forbidden',
  });
  expect(await arranged()).toEqual([]);
});
