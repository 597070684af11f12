import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../../supabase/embedded/caller.ts';
import { readConfig } from '../../../../supabase/embedded/config.ts';
import type { Engine } from '../../../../supabase/embedded/engine/engine.ts';
import { openEngine } from '../../../../supabase/embedded/engine/open.ts';
import { type Lite, openLite } from '../../../../supabase/embedded/lite.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { whereIs } from '../../../support/engine.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* What only shows inside the process: over a socket, requests rarely meet in the middle of a transaction. */

let data: string;
let engine: Engine;
let lite: Lite;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: whereIs(data).DATABASE_URL }, () => {});
  lite = await openLite(engine, await readConfig());
  await lite.learnSchema();
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
  const owners = await sql`select distinct owner from public.notes where body like 'note %'`.execute(
    engine.db,
  );
  expect(owners.rows).toEqual([{ owner: ADA }]);
});

test('a transaction that fails leaves nothing, and the next one works', async () => {
  const failing = lite.db.transaction().execute(async (transaction) => {
    await sql`insert into public.closed values (2)`.execute(transaction);
    await sql`select 1 / 0`.execute(transaction);
  });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect((await sql`select * from public.closed where id = 2`.execute(engine.db)).rows).toEqual([]);
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

test('a table of a migration is there at once', async () => {
  expect((await rest('late', { role: 'service_role' })).status).toBe(404);
  await engine.exec('create table public.late (id int); grant select on public.late to service_role');
  await lite.learnSchema();
  expect(await rest('late', { role: 'service_role' })).toEqual({ status: 200, body: '[]' });
});

test('a message that the server does not understand is refused, and ends nothing', async () => {
  const broken = engine.transaction((session) => session.query('select "a\0b"'));
  await expect(broken).rejects.toMatchObject({ code: '08P01' });
  const { rows } = await engine.transaction((session) => session.query('select 1 as one'));
  expect(rows).toEqual([{ one: 1 }]);
});
