import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../packages/embedded-supabase/src/engine/open.ts';
import { migrate } from '../../../packages/embedded-supabase/src/migrations.ts';
import { serviceClient, signUp, startBackend } from '../../support/backend.ts';
import {
  dataEnvironment,
  newDataFolder,
  removeData,
  runAsAdministrator,
} from '../../support/data-folders.ts';
import { COMPILE_CACHE } from '../../support/processes.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* A newsroom's data under a newer program, and under an older one again. */

const LATER = resolve('tests/backend/embedded/upgrade');
const ADD_CATEGORY = '20260201000000_notes_have_categories.sql';
const FAILING = '20260201000100_fails_halfway.sql';

/** Creates a data folder with the test schema. */
async function madeBefore(): Promise<string> {
  const data = await newDataFolder(PROBE_SCHEMA);
  onTestFinished(() => removeData(data));
  return data;
}

/** Writes the migrations of a newer program to a folder. @param later contents of additional files by name */
async function program(later: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(PROBE_SCHEMA, folder, { recursive: true });
  for (const [name, file] of Object.entries(later)) await cp(join(LATER, file), join(folder, name));
  return folder;
}

test('keeps rows, people, sessions and permissions, also after a crash', async () => {
  const data = await madeBefore();
  const before = await startBackend({ data, migrations: PROBE_SCHEMA });
  onTestFinished(() => before.kill());
  const [ada, bo] = [await signUp(before), await signUp(before)];
  for (const [{ client }, body] of [
    [ada, 'one'],
    [ada, 'two'],
    [bo, 'three'],
  ] as const) {
    expect((await client.from('notes').insert({ body })).error).toBeNull();
  }
  const { session } = (await ada.client.auth.getSession()).data;
  await before.kill();

  const backend = await startBackend({ data, migrations: await program({ [ADD_CATEGORY]: ADD_CATEGORY }) });
  onTestFinished(() => backend.kill());
  const service = serviceClient(backend);
  expect((await service.from('notes').select('*').order('id')).data).toMatchObject([
    { owner: ada.user.id, body: 'one', category: 2, hidden: 'never granted' },
    { owner: ada.user.id, body: 'two', category: 3 },
    { owner: bo.user.id, body: 'three', category: 4 },
  ]);
  expect((await service.from('writers').select('*').order('notes')).data).toEqual([
    { id: bo.user.id, notes: 1 },
    { id: ada.user.id, notes: 2 },
  ]);
  expect((await service.rpc('likeness', { a: 'a', b: 'a' })).data).toBe(-1);

  // Existing sessions continue, under the new rules.
  const auth = { persistSession: false, autoRefreshToken: false };
  const client = createClient(backend.url, backend.publishableKey, { auth });
  await client.auth.setSession(session ?? { access_token: '', refresh_token: '' });
  expect((await client.auth.refreshSession()).error).toBeNull();
  expect((await client.from('notes').insert({ body: 'lowest category' })).error?.code).toBe('42501');
  expect((await client.from('notes').select('body, category').order('id')).data).toEqual([
    { body: 'one', category: 2 },
    { body: 'two', category: 3 },
  ]);
  expect((await client.from('writers').select('*')).data).toEqual([{ id: ada.user.id, notes: 2 }]);
  expect((await client.from('notes').select('hidden')).error?.code).toBe('42501');
});

const openData = (data: string): Promise<Engine> =>
  openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});

const addNotes = (engine: Engine) =>
  engine.exec(`insert into public.notes (owner, body)
    values (gen_random_uuid(), 'one'), (gen_random_uuid(), 'two')`);

/** A database with the test schema and notes, without a backend. */
async function notesBefore(): Promise<Engine> {
  const engine = await openData(await madeBefore());
  onTestFinished(() => engine.close());
  await addNotes(engine);
  return engine;
}

/** Everything that a migration could change: rows, columns, functions and policies. */
async function stateOf(engine: Engine): Promise<Record<string, unknown[]>> {
  return engine.transaction(async (session) => {
    const rows = async (query: string) => (await session.query(query)).rows;
    const tables = (await rows(`select tablename as name from pg_tables
      where schemaname = 'public' order by 1`)) as { name: string }[];
    const state: Record<string, unknown[]> = {
      columns: await rows(`select table_name, column_name, is_nullable, column_default
        from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`),
      functions: await rows(`select proname, prosrc from pg_proc
        where pronamespace = 'public'::regnamespace order by 1, 2`),
      policies: await rows(`select tablename, policyname, qual from pg_policies
        where schemaname = 'public' order by 1, 2`),
      history: await rows('select version from supabase_migrations.schema_migrations order by 1'),
    };
    for (const { name } of tables) state[name] = await rows(`select * from public.${name} order by 1`);
    return state;
  });
}

test('an older program refuses newer data and changes nothing', async () => {
  const engine = await notesBefore();
  expect(await migrate(engine, await program({ [ADD_CATEGORY]: ADD_CATEGORY }))).toEqual([ADD_CATEGORY]);
  const before = await stateOf(engine);
  await expect(migrate(engine, PROBE_SCHEMA)).rejects.toThrow(
    'The data is newer than this program: it was migrated with 20260201000000,',
  );
  expect(await stateOf(engine)).toEqual(before);
});

test('a failing migration leaves the result of the previous one, at each attempt', async () => {
  const [one, other] = [await notesBefore(), await notesBefore()];
  await migrate(one, await program({ [ADD_CATEGORY]: ADD_CATEGORY }));
  const expected = await stateOf(one);
  const broken = await program({ [ADD_CATEGORY]: ADD_CATEGORY, [FAILING]: FAILING });
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(migrate(other, broken)).rejects.toThrow(
      `Migration ${FAILING} failed and was rolled back: division by zero`,
    );
    const state = await stateOf(other);
    expect(Object.keys(state)).toEqual(Object.keys(expected));
    for (const part of ['columns', 'functions', 'policies', 'history', 'categories', 'books']) {
      expect(state[part], part).toEqual(expected[part]);
    }
    expect(state.notes).toMatchObject([
      { body: 'one', category: 2 },
      { body: 'two', category: 3 },
    ]);
    expect(state.writers).toHaveLength(2);
  }
  // Without the failing migration, the earlier one does not run again.
  expect(await migrate(other, await program({ [ADD_CATEGORY]: ADD_CATEGORY }))).toEqual([]);
});

test('a migration older than the last one is refused', async () => {
  const engine = await notesBefore();
  await migrate(engine, await program({ [ADD_CATEGORY]: ADD_CATEGORY }));
  const before = await stateOf(engine);
  const late = '20260115000000_forgotten.sql';
  await expect(
    migrate(engine, await program({ [ADD_CATEGORY]: ADD_CATEGORY, [late]: FAILING })),
  ).rejects.toThrow(`Migration ${late} comes before 20260201000000, which was already applied to this data`);
  expect(await stateOf(engine)).toEqual(before);
});

test('a migration during which the backend is killed is applied once, by the next start', async () => {
  const data = await madeBefore();
  const engine = await openData(data);
  await addNotes(engine);
  const before = await stateOf(engine);
  await engine.close();
  const environment = { ...COMPILE_CACHE, ...dataEnvironment(data), EMBEDDED_SUPABASE_LOG: 'text' };
  const NUMBERS = '20260201000200_numbers.sql';
  const slow = fork(resolve('packages/embedded-supabase/src/main.ts'), {
    env: { ...environment, EMBEDDED_SUPABASE_MIGRATIONS: await program({ [NUMBERS]: 'slow_numbers.sql' }) },
    silent: true,
  });
  let errors = '';
  slow.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const isHalfWay = async () => {
    let sleeping = 0;
    // A PostgreSQL server writes the warning to its own log, so the test also looks for the sleeping session.
    await runAsAdministrator(async (sql) => {
      sleeping = (await sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`).length;
    });
    return sleeping > 0 || errors.includes('half way');
  };
  await expect.poll(isHalfWay, { timeout: 30_000, interval: 20 }).toBe(true);
  slow.kill('SIGKILL');
  await once(slow, 'close');

  const backend = await startBackend({ data, migrations: await program({ [NUMBERS]: 'numbers.sql' }) });
  onTestFinished(() => backend.kill());
  await backend.stop();
  const again = await openData(data);
  onTestFinished(() => again.close());
  const { history, numbers, squares, ...state } = await stateOf(again);
  expect(history).toEqual([...(before.history ?? []), { version: '20260201000200' }]);
  expect([numbers?.length, squares?.length]).toEqual([1000, 1000]);
  expect(state.notes).toEqual(before.notes);
});
