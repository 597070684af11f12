import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { anonClient, serviceClient, signUp } from '../../../support/backend.ts';
import {
  ENGINE,
  runAsAdministrator,
  type TestDataFolder,
  testDataFolders,
} from '../../../support/data-folders.ts';
import {
  type BackendProcess,
  type Outcome,
  runDataProgram,
  StartError,
  startProcess,
} from '../../../support/processes.ts';
import { PROBE_SCHEMA } from '../probe.ts';

// Each test runs several programs in sequence.
vi.setConfig({ testTimeout: 120_000 });

/** Tests that do not depend on the engine. */
const once = test.runIf(ENGINE === 'pglite');

const { migrated, copyOf, missing, remove: forget } = testDataFolders(PROBE_SCHEMA);
const running: BackendProcess[] = [];

let folder: string;
/** A backup with one note and one file. */
let archive: string;
/** A stopped newsroom with another note and another file. */
let stopped: TestDataFolder;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-restore-'));
  archive = join(folder, 'one.tar.gz');
  const place = await migrated();
  const backend = await start(place);
  await note(backend, 'from the backup');
  expect(await backUp(place, archive)).toMatchObject({ exitCode: 0 });
  await backend.stop();

  stopped = await migrated();
  const other = await start(stopped);
  await note(other, 'was here');
  await other.stop();
});
afterAll(async () => {
  for (const backend of running) await backend.kill();
  await forget();
  await rm(folder, { recursive: true, force: true });
});

async function start({ environment }: TestDataFolder): Promise<BackendProcess> {
  const backend = await startProcess(environment);
  running.push(backend);
  return backend;
}

const backUp = ({ environment }: TestDataFolder, to: string) => runDataProgram('backup', environment, to);
const restore = ({ environment }: TestDataFolder, path: string, ...overwrite: string[]) =>
  runDataProgram('restore', environment, path, ...overwrite);

/** Writes a text to a row and a file. */
const note = async (backend: BackendProcess, body: string) => {
  const service = serviceClient(backend);
  const { error } = await service.from('notes').insert({ body });
  expect(error).toBeNull();
  expect((await service.storage.from('rooms').upload(body, body)).error).toBeNull();
};

/** Starts a newsroom and checks that each note has its file. @returns the texts of the notes */
async function notes(place: TestDataFolder): Promise<string[]> {
  const backend = await start(place);
  const service = serviceClient(backend);
  const { data } = await service.from('notes').select('body').order('id');
  for (const { body } of data ?? []) {
    const file = await service.storage.from('rooms').download(body);
    expect(await file.data?.text()).toBe(body);
  }
  expect(await backend.stop()).toBe(0);
  return (data ?? []).map(({ body }) => body);
}

/** Contents of the files of a folder. */
async function contents(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
}

/** Databases of a place: its own, and those that restores created. */
async function databases({ data }: TestDataFolder): Promise<string[]> {
  let names: string[] = [];
  await runAsAdministrator(async (sql) => {
    const rows = await sql<{ datname: string }[]>`
      select datname from pg_database where datname like ${`${basename(data)}%`} order by 1`;
    names = rows.map(({ datname }) => datname);
  });
  return names;
}

const everything = async (place: TestDataFolder) => ({
  folder: await readdir(place.data).then((names) => names.sort()),
  databases: await databases(place),
});

const sentence = ({ exitCode, errors }: Outcome) => [exitCode, errors.trimEnd()];

once('into an empty place, with a running and with a stopped newsroom behind the backup', async () => {
  const place = await copyOf(stopped);
  const path = join(folder, 'stopped.tar.gz');
  const before = await everything(place);
  expect(await backUp(place, path)).toMatchObject({ exitCode: 0, errors: '' });
  expect(await everything(place)).toEqual(before);

  for (const [from, body] of [
    [archive, 'from the backup'],
    [path, 'was here'],
  ] as const) {
    const other = await missing();
    const { report, errors } = await restore(other, from);
    expect(errors).toBe('');
    expect(report).toMatchObject({ files: 1, replacedData: [] });
    expect((await stat(other.data)).mode & 0o777).toBe(0o700);
    expect(await notes(other)).toEqual([body]);
    expect(await contents(join(other.data, 'files'))).toEqual([body]);
    expect(await readdir(other.data)).not.toContain('unfinished');
  }
});

test('replaces a newsroom only on request, and keeps the old one', async () => {
  const place = await copyOf(stopped);
  const before = await everything(place);
  const refused = await restore(place, archive);
  expect(sentence(refused)).toEqual([
    1,
    `${place.data} already contains a newsroom: name an empty place, or use --overwrite to replace it with the backup.`,
  ]);
  expect(await everything(place)).toEqual(before);
  expect(await notes(place)).toEqual(['was here']);

  const { report, errors } = await restore(place, archive, 'overwrite');
  expect(errors).toBe('');
  expect(report?.replacedData).toHaveLength(2);
  expect(await notes(place)).toEqual(['from the backup']);
  expect(await contents(join(place.data, 'files'))).toEqual(['from the backup']);

  // Renaming undoes the restore.
  const [database = '', files = ''] = report?.replacedData ?? [];
  expect(await contents(files)).toEqual(['was here']);
  await rm(join(place.data, 'files'), { recursive: true });
  await cp(files, join(place.data, 'files'), { recursive: true });
  if (ENGINE === 'pglite') {
    await rm(join(place.data, 'db'), { recursive: true });
    await cp(database, join(place.data, 'db'), { recursive: true });
  } else {
    await runAsAdministrator(async (sql) => {
      await sql`drop database ${sql(basename(place.data))}`;
      await sql`alter database ${sql(database)} rename to ${sql(basename(place.data))}`;
    });
  }
  expect(await notes(place)).toEqual(['was here']);
});

once('into a server that cannot be reached is refused in a sentence, without its address', async () => {
  const other = await missing();
  const DATABASE_URL = 'postgres://role:hunter22@127.0.0.1:1/news';
  const refused = await runDataProgram('restore', { ...other.environment, DATABASE_URL }, archive);
  expect(sentence(refused)).toEqual([
    1,
    'The PostgreSQL of DATABASE_URL cannot be used: nothing listens at its host and port.',
  ]);
  await expect(readdir(other.data)).rejects.toThrow('ENOENT');
});

once('not while the newsroom is running', async () => {
  const place = await migrated();
  const backend = await start(place);
  const refused = await restore(place, archive, 'overwrite');
  expect(sentence(refused)).toEqual([
    1,
    `${place.data} is in use by process ${backend.pid}: stop that one first, or name another folder.`,
  ]);
  await note(backend, 'still running');
});

once('a damaged backup leaves everything as it was', async () => {
  const place = await copyOf(stopped);
  const before = await everything(place);
  const bytes = await readFile(archive);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  const path = join(folder, 'damaged.tar.gz');
  for (const damaged of [bytes, bytes.subarray(0, -9)]) {
    await writeFile(path, damaged);
    const refused = await restore(place, path, 'overwrite');
    expect(sentence(refused)).toEqual([
      1,
      'This file is damaged or not a backup of Stoppress. Choose another one.',
    ]);
    expect(await everything(place)).toEqual(before);
  }
  expect(await notes(place)).toEqual(['was here']);

  const nowhere = await missing();
  expect((await restore(nowhere, path)).exitCode).toBe(1);
  await expect(readdir(nowhere.data)).rejects.toThrow('ENOENT');
  expect(await databases(nowhere)).toEqual([]);
});

/** The test migrations and another one. */
async function withOneMore(statements: string): Promise<string> {
  const migrations = await mkdtemp(join(folder, 'migrations-'));
  await cp(PROBE_SCHEMA, migrations, { recursive: true });
  await writeFile(join(migrations, '20260101000900_more.sql'), statements);
  return migrations;
}

once('a backup of an older program is carried forward, one of a newer is refused', async () => {
  const EMBEDDED_SUPABASE_MIGRATIONS = await withOneMore(
    `alter table public.notes add column mood text not null default 'calm';
     update public.notes set mood = 'from before';`,
  );
  const newer = await missing();
  newer.environment.EMBEDDED_SUPABASE_MIGRATIONS = EMBEDDED_SUPABASE_MIGRATIONS;
  expect(await restore(newer, archive)).toMatchObject({ exitCode: 0, errors: '' });
  const backend = await start(newer);
  const { data } = await serviceClient(backend).from('notes').select('body, mood');
  expect(data).toEqual([{ body: 'from the backup', mood: 'from before' }]);
  const path = join(folder, 'newer.tar.gz');
  expect(await backUp(newer, path)).toMatchObject({ exitCode: 0 });

  const older = await missing();
  const refused = await restore(older, path);
  expect(refused.errors).toContain(
    'its data was migrated with 20260101000900, which this program does not have',
  );
  await expect(readdir(older.data)).rejects.toThrow('ENOENT');
});

once('rows that do not fit this program are refused, and nothing is left of them', async () => {
  const place = await copyOf(stopped);
  const before = await everything(place);
  // Simulates a released migration that was edited.
  const migrations = await mkdtemp(join(folder, 'edited-'));
  await cp(PROBE_SCHEMA, migrations, { recursive: true });
  const first = join(migrations, '20260101000000_probe.sql');
  const statements = await readFile(first, 'utf8');
  const edited = {
    ...place,
    environment: { ...place.environment, EMBEDDED_SUPABASE_MIGRATIONS: migrations },
  };

  await writeFile(first, statements.replace('char_length(body) <= 20', 'char_length(body) <= 2'));
  const narrow = await restore(edited, archive, 'overwrite');
  expect(sentence(narrow)).toEqual([1, "The rows of public.notes do not fit this program's schema (23514)."]);
  await writeFile(first, statements.replaceAll('hidden', 'renamed'));
  const renamed = await restore(edited, archive, 'overwrite');
  expect(renamed.errors).toContain('has a column hidden of public.notes that this program does not know');

  expect(await everything(place)).toEqual(before);
  expect(await notes(place)).toEqual(['was here']);
});

test('can be repeated after an interruption of its last step', async () => {
  const place = await copyOf(stopped);
  await writeFile(join(place.data, 'restoring'), '');
  const refused = await startProcess(place.environment).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toContain(`A restore into ${place.data} did not finish`);
  expect((await backUp(place, join(folder, 'cut-short/'))).errors).toContain('did not finish');

  expect(await restore(place, archive, 'overwrite')).toMatchObject({ exitCode: 0 });
  expect(await notes(place)).toEqual(['from the backup']);
});

once('people, their passwords and the next number are there', async () => {
  const place = await migrated();
  const backend = await start(place);
  const email = 'ada@example.com';
  const password = 'correct horse battery';
  const { client } = await signUp(backend, { email, password });
  for (const body of ['one', 'two']) await client.from('notes').insert({ body });
  const path = join(folder, 'people.tar.gz');
  await backUp(place, path);

  const other = await missing();
  await restore(other, path);
  const there = await start(other);
  const again = anonClient(there);
  expect((await again.auth.signInWithPassword({ email, password })).error).toBeNull();
  expect((await again.from('notes').insert({ body: 'three' })).error).toBeNull();
  expect((await again.from('notes').select('id, body').order('id')).data).toEqual([
    { id: 1, body: 'one' },
    { id: 2, body: 'two' },
    { id: 3, body: 'three' },
  ]);
});
