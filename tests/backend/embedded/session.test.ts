import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Claims } from '../../../supabase/embedded/caller.ts';
import { makeCommitsDurable } from '../../../supabase/embedded/engine.ts';
import { type Lite, openLite } from '../../../supabase/embedded/lite.ts';
import { openKysely } from '../../../supabase/embedded/transactions.ts';
import { newDataFolder } from '../../support/data-template.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* What only shows inside the process: over a socket, requests rarely meet in the middle of a transaction. */

let data: string;
let lite: Lite;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  lite = await openLite({
    folder: join(data, 'db'),
    internalSecret: 'x'.repeat(48),
    siteUrl: 'http://site.example',
  });
  await lite.learnSchema();
});
afterAll(async () => {
  await lite.close();
  await rm(data, { recursive: true });
});

const ADA = '01a1fd01-0000-7000-8000-000000000001';
const callers: Claims[] = [{ role: 'anon' }, { role: 'authenticated', sub: ADA }, { role: 'service_role' }];

async function rest(path: string, claims: Claims, body?: object) {
  const request = new Request(`http://inside/rest/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
    body: body && JSON.stringify(body),
  });
  const answer = await lite.rest(request, claims, 'none');
  return { status: answer.status, body: answer.body ? await answer.text() : '' };
}

test('three hundred requests at once each run as their own caller', async () => {
  const requests = Array.from({ length: 300 }, (_, i) => callers[i % 3] as Claims);
  const answers = await Promise.all(requests.map((claims) => rest('rpc/who_am_i', claims, {})));
  const ranAs = answers.map(({ body }) => JSON.parse(body).runs_as);
  expect(ranAs).toEqual(requests.map(({ role }) => role));
});

test('writes and readings at once do not lend each other their rights', async () => {
  const requests = Array.from({ length: 200 }, (_, i) =>
    i % 2 === 0
      ? rest('notes', { role: 'authenticated', sub: ADA }, { body: `note ${i}` })
      : rest('notes?select=hidden', { role: 'anon' }),
  );
  const answers = await Promise.all(requests);
  expect(answers.filter((_, i) => i % 2 === 0).map(({ status }) => status)).toEqual(Array(100).fill(201));
  expect(answers.filter((_, i) => i % 2 === 1).map(({ status }) => status)).toEqual(Array(100).fill(401));
  const owners = await lite.pg.query("select distinct owner from public.notes where body like 'note %'");
  expect(owners.rows).toEqual([{ owner: ADA }]);
});

test('work outside Kysely waits for a transaction to end', async () => {
  const seen: unknown[] = [];
  await lite.db.transaction().execute(async (transaction) => {
    await sql`set local role anon`.execute(transaction);
    seen.push(lite.pg.query<{ who: string }>('select current_user as who').then(({ rows }) => rows[0]?.who));
    await sql`select 1`.execute(transaction);
  });
  expect(await Promise.all(seen)).toEqual(['postgres']);
});

test('a transaction that fails leaves nothing, and the next one works', async () => {
  const failing = lite.db.transaction().execute(async (transaction) => {
    await sql`insert into public.closed values (2)`.execute(transaction);
    await sql`select 1 / 0`.execute(transaction);
  });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect((await lite.pg.query('select * from public.closed where id = 2')).rows).toEqual([]);
});

test('waiting for oneself is an error, not a standstill', async () => {
  const db = openKysely<unknown>(lite.pg, 50);
  const waiting = db.transaction().execute(() => sql`select 1`.execute(db));
  await expect(waiting).rejects.toThrow('Waited too long for the database session.');
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
});

test('an error names no value that was sent with the statement, nor the row', async () => {
  const reasonOf = (query: Promise<unknown>) => query.then(String, (reason: unknown) => reason as Error);
  const wrong = await reasonOf(sql`select ${'a secret'}::int`.execute(lite.db));
  expect(wrong).toMatchObject({ code: '22P02' });
  expect(Object.keys(wrong)).not.toContain('params');
  const twice = await reasonOf(sql`insert into public.closed values (1)`.execute(lite.db));
  expect(twice).toMatchObject({ code: '23505' });
  expect(Object.keys(twice)).not.toContain('detail');
});

test('putting on a role takes one statement', async () => {
  const statements: string[] = [];
  const transaction = lite.pg.transaction.bind(lite.pg);
  const spy = vi.spyOn(lite.pg, 'transaction').mockImplementation((run) =>
    transaction((inner) => {
      const query = inner.query.bind(inner);
      inner.query = (text, ...rest) => {
        statements.push(text);
        return query(text, ...rest);
      };
      return run(inner);
    }),
  );
  await rest('kinds?select=id', { role: 'anon' });
  spy.mockRestore();
  expect(statements).toHaveLength(2);
});

test('every commit reaches the disk', async () => {
  let syncs = 0;
  await makeCommitsDurable(lite.pg, () => {
    syncs += 1;
  });
  for (let i = 0; i < 20; i++) await lite.pg.query('insert into public.closed values ($1)', [100 + i]);
  await makeCommitsDurable(lite.pg);
  expect(syncs).toBeGreaterThanOrEqual(20);
});

test('a table of a migration is there at once', async () => {
  expect((await rest('late', { role: 'service_role' })).status).toBe(404);
  await lite.pg.exec('create table public.late (id int); grant select on public.late to service_role');
  await lite.learnSchema();
  expect(await rest('late', { role: 'service_role' })).toEqual({ status: 200, body: '[]' });
});
