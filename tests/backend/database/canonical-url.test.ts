import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  createCoverageIn,
  errorOf,
  openTestDatabase,
  type TestDatabase,
  VISITOR,
} from '../../support/database.ts';

let database: TestDatabase;
let [editor, owner, reporter]: (Claims & { sub: string })[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  [editor, owner, reporter] = [
    await database.createUser('editor'),
    await database.createUser('owner'),
    await database.createUser('reporter'),
  ];
});
afterAll(() => database?.close());

const URL_ELSEWHERE = 'https://paper.example/2026/flood?lang=en';

const set = (coverage_id: string, url: string | null, who: Claims | undefined = editor) =>
  database.call(who ?? VISITOR, ['set_canonical_url', { coverage_id, url }]);

const urlOf = async (coverage_id: string) =>
  (
    await database.rows<{ canonical_url: string | null }>(
      'select canonical_url from public.coverages where id = $1',
      [coverage_id],
    )
  )[0]?.canonical_url;

test.for([
  ['an address without https', 'http://paper.example/flood'],
  ['another scheme', 'javascript:alert(1)'],
  ['no address', 'paper.example/flood'],
  ['an empty text', ''],
  ['a fragment', 'https://paper.example/flood#live'],
  ['a password', 'https://me:secret@paper.example/flood'],
  ['a second header', 'https://paper.example/\r\nSet-Cookie: a=b'],
  ['the end of a header value', 'https://paper.example/>; rel="next"'],
  ['letters that no header can have', 'https://paper.example/Überschwemmung'],
  ['more than an address', `https://paper.example/${'x'.repeat(2048)}`],
])('refuses %s', async ([, url = '']) => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  expect(await errorOf(set(coverage_id, url))).toMatchObject({ code: 'invalid', field: 'canonical_url' });
  expect(await urlOf(coverage_id)).toBeNull();
});

test('only editors and owners set it', async () => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  for (const who of [reporter, VISITOR])
    expect(await errorOf(set(coverage_id, URL_ELSEWHERE, who))).toMatchObject({
      code: who === VISITOR ? '42501' : 'forbidden',
    });
  expect(await urlOf(coverage_id)).toBeNull();
  for (const who of [editor, owner]) {
    expect(await set(coverage_id, URL_ELSEWHERE, who)).toEqual({
      id: coverage_id,
      canonical_url: URL_ELSEWHERE,
    });
    expect(await urlOf(coverage_id)).toBe(URL_ELSEWHERE);
    await set(coverage_id, null, who);
    expect(await urlOf(coverage_id)).toBeNull();
  }
});

test('tells the site once which pages name it, and readers nothing', async () => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  const [announcement, ...others] = await database.broadcastsOf(() => set(coverage_id, URL_ELSEWHERE));
  expect(others).toEqual([]);
  expect(announcement).toEqual({
    topic: 'site',
    event: 'change',
    payload: { site: expect.any(Number), tags: ['sitemaps', `coverage:${coverage_id}`], removed: false },
  });
  expect(await database.broadcastsOf(() => set(coverage_id, URL_ELSEWHERE))).toEqual([]);
  const draft = await createCoverageIn(database);
  expect(await database.broadcastsOf(() => set(draft.coverage_id, URL_ELSEWHERE))).toEqual([]);
});

test('is in the activity log', async () => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  await set(coverage_id, URL_ELSEWHERE);
  const rows = await database.rows<{ created_by: string }>(
    "select created_by from public.audit_log where action = 'set_canonical_url' and coverage_id = $1",
    [coverage_id],
  );
  expect(rows).toEqual([{ created_by: editor?.sub }]);
});
