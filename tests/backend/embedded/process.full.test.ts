import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { anonClient, serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { dataEnvironment, ENGINE, newDataFolder, removeData } from '../../support/data-folders.ts';
import { StartError, startProcess } from '../../support/processes.ts';
import { PROBE_SCHEMA } from './probe.ts';

const folders: string[] = [];
const running: TestBackend[] = [];
afterEach(async () => {
  for (const backend of running.splice(0)) await backend.kill();
  for (const folder of folders.splice(0)) await removeData(folder);
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-process-'));
  folders.push(folder);
  return folder;
}

/** Creates a data folder with the test schema. */
async function probeData(): Promise<string> {
  const data = await newDataFolder(PROBE_SCHEMA);
  folders.push(data);
  return data;
}

async function start(data: string, migrations = PROBE_SCHEMA): Promise<TestBackend> {
  const backend = await startBackend({ data, migrations });
  running.push(backend);
  return backend;
}

/** The error of a start that must fail. */
async function refusal(environment: Record<string, string>): Promise<StartError> {
  const outcome = await startProcess(environment).catch((error: unknown) => error);
  if (outcome instanceof StartError) return outcome;
  if (outcome instanceof Error) throw outcome;
  throw new Error('The backend refuses to start.');
}

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('refuses a second process on the folder, and the first continues', async () => {
  const data = await probeData();
  const first = await start(data);
  const announced = await readFile(join(data, 'backend.json'), 'utf8');

  const refused = await refusal({ ...dataEnvironment(data), EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA });
  expect(refused.exitCode).toBe(1);
  expect(refused.message).toBe(
    `${data} is in use by process ${first.pid}: stop that one first, or name another folder.\n`,
  );
  expect(await readFile(join(data, 'backend.json'), 'utf8')).toBe(announced);
  expect((await anonClient(first).from('kinds').select('id')).data).toHaveLength(1);
});

test('makes its files readable by the owner only, and removes the announcement at a clean stop', async () => {
  const data = await probeData();
  const backend = await start(data);
  expect(await mode(data)).toBe('700');
  expect(await mode(join(data, 'keys.json'))).toBe('600');
  expect(await mode(join(data, 'backend.json'))).toBe('600');
  expect(JSON.parse(await readFile(join(data, 'backend.json'), 'utf8'))).toEqual({
    pid: backend.pid,
    url: backend.url,
    publishableKey: backend.publishableKey,
    secretKey: backend.secretKey,
    headers: backend.headers,
  });
  expect(JSON.parse(await readFile(join(data, 'engine.json'), 'utf8'))).toMatchObject({ engine: ENGINE });

  expect(await backend.stop()).toBe(0);
  expect(await readdir(data)).not.toContain('backend.json');
  expect(backend.errors()).toBe('');
});

test('keeps rows, people, sessions and keys at a restart', async () => {
  const data = await probeData();
  const before = await start(data);
  const { client, user } = await signUp(before, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  await client.from('notes').insert({ body: 'kept' });
  const { session } = (await client.auth.getSession()).data;
  await before.stop();

  const after = await start(data);
  expect(after.publishableKey).toBe(before.publishableKey);
  expect(after.secretKey).toBe(before.secretKey);
  expect(after.headers).toEqual(before.headers);
  const again = anonClient(after);
  expect((await again.auth.getUser(session?.access_token)).data.user?.id).toBe(user.id);
  const refreshed = await again.auth.refreshSession({ refresh_token: session?.refresh_token ?? '' });
  expect(refreshed.error).toBeNull();
  expect((await again.from('notes').select('owner, body')).data).toEqual([{ owner: user.id, body: 'kept' }]);
});

test('uses given keys without storing them', async () => {
  const data = await probeData();
  const environment = {
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'given-public',
    SUPABASE_SECRET_KEY: 'given-secret',
  };
  const backend = await startBackend({ data, migrations: PROBE_SCHEMA, environment });
  running.push(backend);
  expect(backend).toMatchObject({ publishableKey: 'given-public', secretKey: 'given-secret' });
  expect((await serviceClient(backend).from('notes').select()).error).toBeNull();
  expect(await readFile(join(data, 'keys.json'), 'utf8')).not.toContain('given');
});

test('finishes a running request before it stops', async () => {
  const data = await probeData();
  const backend = await start(data);
  const body = JSON.stringify({ body: 'just in time' });
  const socket = connect(Number(new URL(backend.url).port), '127.0.0.1');
  const answered = text(socket);
  socket.write(
    `POST /rest/v1/notes HTTP/1.1\r\nhost: x\r\nconnection: close\r\napikey: ${backend.secretKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // A response on a later connection shows that the first request has started.
  await fetch(`${backend.url}/health`);
  const stopped = backend.stop();
  await expect
    .poll(() =>
      fetch(`${backend.url}/health`).then(
        () => 'up',
        () => 'down',
      ),
    )
    .toBe('down');
  socket.write(body.slice(5));
  expect(await answered).toMatch(/^HTTP\/1.1 201 /);
  expect(await stopped).toBe(0);

  const again = await start(data);
  expect((await serviceClient(again).from('notes').select('body')).data).toEqual([{ body: 'just in time' }]);
});

test('ends with the process that started it', async () => {
  const backend = await start(await probeData());
  expect(await backend.abandon()).toBe(0);
});

test('names the file of a failing migration, and leaves nothing of it', async () => {
  const [data, migrations] = [await probeData(), await temporary()];
  await cp(PROBE_SCHEMA, migrations, { recursive: true });
  const second = join(migrations, '20260101000900_second.sql');
  await writeFile(second, 'create table public.second (id int); select nonsense();');
  const environment = { ...dataEnvironment(data), EMBEDDED_SUPABASE_MIGRATIONS: migrations };
  const twin = join(migrations, '20260101000900_twin.sql');
  await writeFile(twin, 'select 1;');
  expect((await refusal(environment)).message).toContain('have the same version');
  await rm(twin);

  const refused = await refusal(environment);
  expect(refused.exitCode).toBe(1);
  expect(refused.message).toContain('Migration 20260101000900_second.sql failed and was rolled back');

  await writeFile(
    second,
    'create table public.second (id int); grant select on public.second to service_role;',
  );
  const backend = await start(data, migrations);
  expect((await serviceClient(backend).from('second').select()).data).toEqual([]);
  await backend.stop();

  await rm(second);
  const newer = await refusal(environment);
  expect(newer.message).toContain(
    'The data is newer than this program: it was migrated with 20260101000900,',
  );
});

test.each([
  [
    { EMBEDDED_SUPABASE_DATA: '/nowhere', EMBEDDED_SUPABASE_BACKUP_PREFIX: '../up' },
    'EMBEDDED_SUPABASE_BACKUP_PREFIX must',
  ],
  [{ EMBEDDED_SUPABASE_DATA: '/nowhere', EMBEDDED_SUPABASE_PORT: '70000' }, 'EMBEDDED_SUPABASE_PORT must be'],
  [{ EMBEDDED_SUPABASE_DATA: '/nowhere', SITE_URL: 'news.example' }, 'SITE_URL must be'],
  [{ EMBEDDED_SUPABASE_DATA: '/nowhere', DATABASE_URL: 'mysql://the-same@host/db' }, 'DATABASE_URL must be'],
  [
    {
      EMBEDDED_SUPABASE_DATA: '/nowhere',
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'the-same',
      SUPABASE_SECRET_KEY: 'the-same',
    },
    'SUPABASE_SECRET_KEY must not be',
  ],
])('names an invalid setting without its value: %o', async (environment, sentence) => {
  const refused = await refusal(environment as Record<string, string>);
  expect(refused.exitCode).toBe(1);
  expect(refused.message).toContain(sentence);
  expect(refused.message).not.toMatch(/the-same|\n./);
});

test('names a port that is in use', async () => {
  const first = await start(await probeData());
  const EMBEDDED_SUPABASE_PORT = new URL(first.url).port;
  const data = await probeData();
  const refused = await refusal({
    ...dataEnvironment(data),
    EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
    EMBEDDED_SUPABASE_PORT,
  });
  expect(refused.message).toContain(`Port ${EMBEDDED_SUPABASE_PORT} is in use`);
});
