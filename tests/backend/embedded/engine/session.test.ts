import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import {
  type Engine,
  MAX_PREPARED_STATEMENTS,
} from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import { runWithLimits } from '../../../../packages/embedded-supabase/src/engine/work.ts';
import {
  isResponseTooLarge,
  limitResponseSize,
} from '../../../../packages/embedded-supabase/src/rest/answer-size.ts';
import { openRestApi, type RestApi } from '../../../../packages/embedded-supabase/src/rest/lite.ts';
import type { Claims } from '../../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* Conditions that need concurrent requests inside the process. */

let data: string;
let engine: Engine;
let restApi: RestApi;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  restApi = await openRestApi(engine, await readConfig());
  await restApi.reloadSchema();
});
afterAll(async () => {
  await engine.close();
  await removeData(data);
});

const ADA = '01a1fd01-0000-7000-8000-000000000001';
const callers: Claims[] = [{ role: 'anon' }, { role: 'authenticated', sub: ADA }, { role: 'service_role' }];

async function rest(path: string, claims: Claims, body?: object) {
  const request = new Request(`http://inside/rest/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
    body: body && JSON.stringify(body),
  });
  const answer = await restApi.handle(request, claims, 'server');
  return { status: answer.status, body: answer.body ? await answer.text() : '' };
}

test('three hundred concurrent requests run as their own callers', async () => {
  const requests = Array.from({ length: 300 }, (_, i) => callers[i % 3] as Claims);
  const answers = await Promise.all(requests.map((claims) => rest('rpc/who_am_i', claims, {})));
  const ranAs = answers.map(({ body }) => JSON.parse(body).runs_as);
  expect(ranAs).toEqual(requests.map(({ role }) => role));
});

test('concurrent writes and reads do not mix permissions', async () => {
  const requests = Array.from({ length: 200 }, (_, i) =>
    i % 2 === 0
      ? rest('notes', { role: 'authenticated', sub: ADA }, { body: `note ${i}` })
      : rest('notes?select=hidden', { role: 'anon' }),
  );
  const answers = await Promise.all(requests);
  expect(answers.filter((_, i) => i % 2 === 0).map(({ status }) => status)).toEqual(Array(100).fill(201));
  expect(answers.filter((_, i) => i % 2 === 1).map(({ status }) => status)).toEqual(Array(100).fill(401));
  const owners = await sql`select distinct owner from public.notes where body like 'note %'`.execute(
    engine.db,
  );
  expect(owners.rows).toEqual([{ owner: ADA }]);
});

test('a failed transaction leaves nothing, and the next one works', async () => {
  const failing = restApi.db.transaction().execute(async (transaction) => {
    await sql`insert into public.closed values (2)`.execute(transaction);
    await sql`select 1 / 0`.execute(transaction);
  });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect((await sql`select * from public.closed where id = 2`.execute(engine.db)).rows).toEqual([]);
});

test('an error contains no parameters and no row', async () => {
  const reasonOf = (query: Promise<unknown>) => query.then(String, (reason: unknown) => reason as Error);
  const wrong = await reasonOf(sql`select ${'a secret'}::int`.execute(restApi.db));
  expect(wrong).toMatchObject({ code: '22P02' });
  expect(Object.keys(wrong)).not.toContain('params');
  const twice = await reasonOf(sql`insert into public.closed values (1)`.execute(restApi.db));
  expect(twice).toMatchObject({ code: '23505', detail: 'Key (id)=(1) already exists.' });
  // Loggers and serializers see enumerable properties only.
  expect(Object.keys(twice)).not.toContain('detail');
});

test('a new table is available at once', async () => {
  expect((await rest('late', { role: 'service_role' })).status).toBe(404);
  await engine.exec('create table public.late (id int); grant select on public.late to service_role');
  await restApi.reloadSchema();
  expect(await rest('late', { role: 'service_role' })).toEqual({ status: 200, body: '[]' });
});

test('an invalid protocol message is refused without ending the session', async () => {
  const broken = engine.transaction((session) => session.query('select "a\0b"'));
  await expect(broken).rejects.toMatchObject({ code: '08P01' });
  const { rows } = await engine.transaction((session) => session.query('select 1 as one'));
  expect(rows).toEqual([{ one: 1 }]);
});

describe('a statement that repeats', () => {
  const prepared = 'select count(*)::int as count from pg_prepared_statements where statement like $1';

  test('is prepared from the second time on, once in a session', async () => {
    const counts = await engine.transaction(async (session) => {
      const counted = [];
      for (let n = 0; n < 3; n++) {
        await session.query('select $1::int as repeated', [n]);
        counted.push((await session.query<{ count: number }>(prepared, ['%as repeated'])).rows[0]?.count);
      }
      return counted;
    });
    expect(counts).toEqual([0, 1, 1]);
  });

  // A server has several sessions, each with its own statements.
  test.runIf(ENGINE === 'pglite')(
    'is prepared with the limit of every request, and not with a limit of its own',
    async () => {
      await engine.exec('create table public.listed (id int); grant select on public.listed to service_role');
      await restApi.reloadSchema();
      for (const query of ['select=id', 'select=id&limit=7']) {
        for (let n = 0; n < 2; n++) await rest(`listed?${query}`, { role: 'service_role' });
      }
      const { rows } = await engine.transaction((session) =>
        session.query<{ statement: string }>(
          `select statement from pg_prepared_statements where statement like '%"listed"%'`,
        ),
      );
      expect(rows).toEqual([{ statement: expect.stringContaining('limit 1000') }]);
    },
  );

  test('is prepared only while few others have run since', async () => {
    const { rows } = await engine.transaction(async (session) => {
      for (let n = 0; n < 300; n++) {
        await session.query(`select $1::int + ${Math.floor(n / 2)} as many`, [n]);
      }
      return session.query<{ count: number }>(prepared, ['%as many']);
    });
    // The driver for PostgreSQL servers keeps prepared statements until it renews the connection.
    expect(rows).toEqual([{ count: engine.kind === 'pglite' ? MAX_PREPARED_STATEMENTS : 150 }]);
  });

  test('shows each caller their own rows', async () => {
    const ada: Claims = { role: 'authenticated', sub: ADA };
    const grace: Claims = { role: 'authenticated', sub: '01a1fd01-0000-7000-8000-000000000002' };
    await rest('notes', ada, { body: 'of Ada' });
    await rest('notes', grace, { body: 'of Grace' });
    const read = async (claims: Claims) => {
      const { status, body } = await rest('notes?select=body&body=like.of*', claims);
      return status === 200 ? JSON.parse(body).map((note: { body: string }) => note.body) : status;
    };
    for (let n = 0; n < 8; n++) {
      expect(await read(ada)).toEqual(['of Ada']);
      expect(await read(grace)).toEqual(['of Grace']);
      expect(await read({ role: 'anon' })).toBe(401);
      expect(await read({ role: 'service_role' })).toEqual(['of Ada', 'of Grace']);
    }
  });

  test('has the columns of a table that changed', async () => {
    const read = async () =>
      (
        await engine.transaction((session) =>
          session.query('select * from public.changing where a > $1', [0]),
        )
      ).rows;
    await engine.exec('create table public.changing (a int); insert into public.changing values (1)');
    for (let n = 0; n < 3; n++) expect(await read()).toEqual([{ a: 1 }]);
    if (engine.kind === 'pglite') {
      await engine.exec('alter table public.changing add b int');
      expect(await read()).toEqual([{ a: 1, b: null }]);
    }
    // The session does not recognise this statement as a change of a table.
    await engine.exec("do $$ begin execute 'al' || 'ter table public.changing add c int'; end $$");
    const first = await read().catch((error: Error) => error);
    if (first instanceof Error) expect(first.name).toBe('UnavailableError');
    expect((await read())[0]).toHaveProperty('c', null);
  });
});

describe('a statement with a byte limit', () => {
  const words = `select g as id, repeat(md5(g::text), 30) as body, null::int as none, now() as at,
    json_build_object('n', g) as value from generate_series(1, 300) g`;
  const select = (maxBytes?: number) =>
    engine.transaction((session) => session.query(words, [], { maxBytes }));

  test('returns the same rows as one without, where they fit', async () => {
    const { rows } = await select();
    const bounded = (await select(1_000_000)).rows;
    expect(bounded).toHaveLength(300);
    expect(bounded.map((row) => ({ ...(row as object), at: '' }))).toEqual(
      rows.map((row) => ({ ...(row as object), at: '' })),
    );
  });

  test('fails where its rows are larger, and its transaction changes nothing', async () => {
    const writing = engine.transaction(async (session) => {
      await session.query('insert into public.closed values (300)');
      return session.query(words, [], { maxBytes: 100_000 });
    });
    await expect(writing).rejects.toMatchObject({ code: 'PT413', message: 'too_large' });
    expect((await sql`select * from public.closed where id = 300`.execute(engine.db)).rows).toEqual([]);
  });

  test('counts the rows that it changed, and sends its parameters', async () => {
    const changed = await engine.transaction((session) =>
      session.query('insert into public.closed values ($1), ($2) returning id', [401, 402], {
        maxBytes: 10_000,
      }),
    );
    expect(changed).toMatchObject({ rows: [{ id: 401 }, { id: 402 }], affectedRows: 2 });
  });

  test('is ended by the database while it makes the rows of an answer', async () => {
    const read = (bytes: number) =>
      engine.db
        .transaction()
        .execute((transaction) =>
          limitResponseSize(transaction, bytes)
            .selectFrom(sql<{ body: string }>`(${sql.raw(words)})`.as('w'))
            .select('body')
            .execute(),
        )
        .then((rows) => rows.length, isResponseTooLarge);
    expect([await read(1_000_000), await read(100_000)]).toEqual([300, true]);
  });

  test('refuses a REST request with 413', async () => {
    await engine.exec(
      'create table public.numbers as select g as id from generate_series(1, 1000) g; grant select on public.numbers to service_role',
    );
    await restApi.reloadSchema();
    const read = () => rest('numbers?limit=1000', { role: 'service_role' });
    expect((await runWithLimits({ maxResultBytes: 1_000_000 }, read)).status).toBe(200);
    const refused = await runWithLimits({ maxResultBytes: 2_000 }, read);
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([413, 'PT413']);
  });
});
