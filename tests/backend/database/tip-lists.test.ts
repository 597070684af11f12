import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { type Call, createCoverageIn, openTestDatabase, type TestDatabase } from '../../support/database.ts';

/* Rows that lists of tips read when there are very many tips, as PostgreSQL counts them. */

const MANY = 20_000;

let database: TestDatabase;
let moderator: Claims & { sub: string };
let coverage_id: string;
beforeAll(async () => {
  database = await openTestDatabase();
  moderator = await database.createUser('moderator');
  ({ coverage_id } = await createCoverageIn(database, 'live'));
  await database.engine.exec(`
    set session_replication_role = replica;
    insert into public.tips (id, coverage_id, body, contact, state, held, assigned_to, review_started_at, handled_at, receipt_hash, created_at)
    select gen_random_uuid(), case when n % 49 = 0 then '${coverage_id}'::uuid end,
      'The river stands at ' || n || ' by the bridge' || case when n = 76 then ', says the zeppelin' else '' end, '01 ' || n,
      s.state, s.state = 'new' and n % 3 = 0, case when s.state <> 'new' then '${moderator.sub}'::uuid end,
      case when s.state <> 'new' then now() end, case when s.state not in ('new', 'in_review') then now() end, 'r' || n, now() - n * interval '1 second'
    from generate_series(1, ${MANY}) n,
      lateral (select (enum_range(null::public.tip_state))[1 + case when n % 7 < 5 then n % 5 else 0 end] as state) s
    where s.state <> 'used';
    set session_replication_role = origin`);
});
afterAll(() => database.close());

/** The rows of tips that a call reads from an index or the table. */
async function rowsOf(call: Call): Promise<{ rows: number; answer: unknown }> {
  const [name, args] = call;
  return database.engine.transaction(async (session) => {
    const read = async () =>
      (
        await session.query<{
          rows: number;
        }>(`select (pg_stat_get_xact_tuples_returned('public.tips'::regclass)
          + coalesce((select sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index i where i.indrelid = 'public.tips'::regclass), 0))::integer as rows`)
      ).rows[0]?.rows ?? 0;
    await session.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(moderator)]);
    const before = await read();
    const { rows } = await session.query<{ answer: unknown }>(
      `select public.${name}(${Object.keys(args).map((key, n) => `${key} => $${n + 1}`)}) as answer`,
      Object.values(args).map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)),
    );
    return { rows: (await read()) - before, answer: rows[0]?.answer };
  });
}

const VIEWS = ['open', 'mine', 'held', 'declined', 'spam', 'all'];
const somewhere = {
  created_at: new Date(Date.now() - 9_000_000).toISOString(),
  id: '00000000-0000-4000-8000-000000000000',
};

test.each(['not looked at', 'looked at'])(
  'a list reads rows in index order, in tables that were %s',
  async (knows) => {
    if (knows === 'looked at') await database.engine.execOutsideTransaction('analyze');
    for (const view of VIEWS) {
      for (const more of [{}, { before: somewhere }, { coverage: coverage_id }]) {
        const { rows, answer } = await rowsOf(['tip_queue', { filters: { view, ...more } }]);
        expect((answer as []).length, view).toBeGreaterThan(10);
        // The caller's tips are few. Those of a coverage are filtered from them.
        if (view === 'mine' && 'coverage' in more) continue;
        // Each row is read in the index and in the table.
        expect(rows, `${view} ${JSON.stringify(more)}`).toBeLessThan(400);
      }
    }
    const one = await rowsOf(['tip_queue', { filters: { view: 'all', query: 'zeppelin river' } }]);
    expect(one.answer).toHaveLength(1);
    expect(one.rows).toBeLessThan(10);
  },
);

test('a search for a common word reads each tip once', async () => {
  const { rows, answer } = await rowsOf(['tip_queue', { filters: { view: 'all', query: 'river' } }]);
  expect(answer).toHaveLength(50);
  expect(rows).toBeLessThan(3 * MANY);
});

test('counts end at a thousand', async () => {
  const { rows, answer } = await rowsOf(['tip_counts', {}]);
  expect(answer).toMatchObject({ new: 1_000, in_review: 1_000, mine: 1_000, held: 1_000 });
  expect(rows).toBeLessThan(10_000);
});
