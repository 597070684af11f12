import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  anonClient,
  serviceClient,
  signUp,
  startBackend,
  type TestBackend,
} from '../../../support/backend.ts';
import {
  dataEnvironment,
  ENGINE,
  newDataFolder,
  removeData,
  runAsAdministrator,
} from '../../../support/data-folders.ts';
import { type Cluster, findPostgres, startCluster } from '../../../support/postgres-cluster.ts';
import { type BackendProcess, StartError, startProcess } from '../../../support/processes.ts';
import { startFaultyProxy } from '../../../support/tcp-proxies.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/** A busy machine may be slow. */
const SOON = { timeout: 20_000 };
vi.setConfig({ testTimeout: 60_000 });

const folders: string[] = [];
const running: TestBackend[] = [];
afterEach(async () => {
  for (const backend of running.splice(0)) await backend.kill();
  for (const folder of folders.splice(0)) await removeData(folder);
});

async function probeData(): Promise<string> {
  const data = await newDataFolder(PROBE_SCHEMA);
  folders.push(data);
  return data;
}

async function start(options: Parameters<typeof startBackend>[0] = {}): Promise<TestBackend> {
  const backend = await startBackend({ migrations: PROBE_SCHEMA, ...options });
  running.push(backend);
  return backend;
}

/** The error of a start that must fail. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const outcome = await startProcess({ EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA, ...environment }).catch(
    (error: unknown) => error,
  );
  if (outcome instanceof StartError) return outcome.message;
  if (outcome instanceof Error) throw outcome;
  throw new Error('The backend refuses to start.');
}

/** The URL of this folder's database with changed parts. */
function changed(data: string, change: Partial<Pick<URL, 'username' | 'password' | 'port' | 'pathname'>>) {
  return Object.assign(new URL(dataEnvironment(data).DATABASE_URL as string), change).href;
}

describe.skipIf(ENGINE !== 'postgres')('an external database', () => {
  test.each([
    [{ password: 'wrong-secret' }, 'the password is wrong'],
    [{ pathname: '/nowhere' }, 'there is no such database: make it first'],
    [{ port: '1' }, 'nothing listens at its host and port'],
  ])('that cannot be used is reported without its URL: %o', async (change, reason) => {
    const data = await probeData();
    const DATABASE_URL = changed(data, change);
    expect(await refusal({ EMBEDDED_SUPABASE_DATA: data, DATABASE_URL })).toBe(
      `The PostgreSQL of DATABASE_URL cannot be used: ${reason}.\n`,
    );
  });

  test('needs a role that may create roles', async () => {
    const data = await probeData();
    await runAsAdministrator(async (sql) => {
      await sql.unsafe("drop role if exists humble; create role humble login password 'humble'");
    });
    const DATABASE_URL = changed(data, { username: 'humble', password: 'humble' });
    expect(await refusal({ EMBEDDED_SUPABASE_DATA: data, DATABASE_URL })).toMatch(
      /^The role of DATABASE_URL must be a superuser: .*\n$/,
    );
  });

  test('serves one backend at a time, and the next one when that is killed', async () => {
    const [data, elsewhere] = [await probeData(), await mkdtemp(join(tmpdir(), 'stoppress-second-'))];
    const first = await start({ data });
    const environment = { EMBEDDED_SUPABASE_DATA: elsewhere, DATABASE_URL: changed(data, {}) };
    expect(await refusal(environment)).toBe(
      'The database of DATABASE_URL is in use by another backend: stop that one first, or name another database.\n',
    );
    expect((await anonClient(first).from('kinds').select('id')).data).toHaveLength(1);
    await first.kill();
    const second = await startProcess({ ...environment, EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA });
    expect(await second.stop()).toBe(0);
    await rm(elsewhere, { recursive: true });
  });

  test('is not replaced by another database or an empty one without a request', async () => {
    const data = await probeData();
    expect(await refusal({ EMBEDDED_SUPABASE_DATA: data })).toMatch(
      /is stored in PostgreSQL\. Start it with its DATABASE_URL\. To move it, run `embedded-supabase backup`/,
    );
    const empty = `${basename(data)}-empty`;
    await runAsAdministrator(async (sql) => {
      await sql.unsafe(`create database "${empty}"`);
    });
    const DATABASE_URL = changed(data, { pathname: `/${empty}` });
    expect(await refusal({ EMBEDDED_SUPABASE_DATA: data, DATABASE_URL })).toMatch(
      /the database of DATABASE_URL is empty/,
    );
    await runAsAdministrator(async (sql) => {
      await sql.unsafe(`drop database "${empty}"`);
    });
  });

  test('does not take over the newsroom of a folder', async () => {
    const [data, folder] = [await probeData(), await mkdtemp(join(tmpdir(), 'stoppress-folder-'))];
    const environment = { EMBEDDED_SUPABASE_DATA: folder, EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA };
    await (await startProcess(environment)).stop();
    expect(await refusal({ ...environment, DATABASE_URL: changed(data, {}) })).toMatch(
      /is stored in that folder, and DATABASE_URL names another place\./,
    );
    await rm(folder, { recursive: true });
  });

  test('is recorded with its version beside the data', async () => {
    const data = await probeData();
    await (await start({ data })).stop();
    const [version] = await versions();
    expect(JSON.parse(await readFile(join(data, 'engine.json'), 'utf8'))).toEqual({
      engine: 'postgres',
      version: expect.stringMatching(/^\d+/),
      postgres: version,
    });
  });

  test('is prepared once by two concurrent starts', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stoppress-data-'));
    const elsewhere = await mkdtemp(join(tmpdir(), 'stoppress-data-'));
    folders.push(data, elsewhere);
    await runAsAdministrator(async (sql) => {
      await sql.unsafe(`create database "${basename(data)}"`);
    });
    const both = await Promise.allSettled(
      [data, elsewhere].map((EMBEDDED_SUPABASE_DATA) =>
        startProcess({
          EMBEDDED_SUPABASE_DATA,
          DATABASE_URL: changed(data, {}),
          EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
        }),
      ),
    );
    const started = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(started).toHaveLength(1);
    expect(refused).toEqual([expect.stringContaining('in use by another backend')]);
    for (const backend of started) await backend.stop();
  });
});

async function versions(): Promise<number[]> {
  const pids: number[] = [];
  await runAsAdministrator(async (sql) => {
    const rows = await sql<
      { number: number }[]
    >`select current_setting('server_version_num')::int / 10000 as number`;
    pids.push(...rows.map(({ number }) => number));
  });
  return pids;
}

describe.skipIf(ENGINE !== 'postgres')('a database server that stops', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(findPostgres() as string);
    return () => cluster.end();
  });

  test('makes requests unavailable, and works again when it returns', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stoppress-away-'));
    folders.push(data);
    const backend = await startProcess({
      EMBEDDED_SUPABASE_DATA: data,
      EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
      DATABASE_URL: cluster.url(),
    });
    const { client, user } = await signUp(backend);
    const { session } = (await client.auth.getSession()).data;
    const notes = serviceClient(backend).from('notes');
    const kept = await notes.insert({ body: 'kept' });
    expect(kept.error).toBeNull();
    const { listener, told } = await listenToSite(backend);

    // Requests run while it stops, and afterwards.
    const wave = Array.from({ length: 100 }, (_, n) => notes.insert({ body: `wave ${n}` }));
    await cluster.stop();
    const answers = [...(await Promise.all(wave)), await notes.insert({ body: 'never' })];
    const refused = answers.filter(({ error }) => error);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, error } of refused) {
      expect([status, error?.code, error?.message]).toEqual([503, 'PT503', 'unavailable']);
    }
    const asked = await client.auth.getUser();
    expect(asked.error).toMatchObject({ name: 'AuthRetryableFetchError', status: 503 });
    // The client would retry for half a minute, so this request uses fetch.
    const refreshed = await fetch(`${backend.url}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { ...backend.headers, apikey: backend.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: session?.refresh_token }),
    });
    expect([refreshed.status, await refreshed.json()]).toMatchObject([503, { error_code: 'unavailable' }]);
    expect(refreshed.headers.get('retry-after')).toBe('1');
    // Otherwise a page of another origin could not read the status.
    expect(refreshed.headers.get('access-control-allow-origin')).toBe('*');

    await cluster.start();
    // Another program broadcasts, perhaps before the backend has reconnected.
    const other = postgres(cluster.url(), { max: 1, onnotice: () => {} });
    for (const n of [1, 2, 3])
      await other`select realtime.send(jsonb_build_object('n', ${n}::int), 'change', 'site')`;
    await expect.poll(() => told, SOON).toEqual([1, 2, 3]);
    await other`select realtime.send('{"n": 4}', 'change', 'site')`;
    await other.end();
    await expect.poll(() => told, SOON).toEqual([1, 2, 3, 4]);
    await listener.removeAllChannels();
    await expect.poll(async () => (await client.auth.getUser()).data.user?.id, SOON).toBe(user.id);
    const bodies = (await notes.select('body').throwOnError()).data.map(({ body }) => body);
    const saved = answers.flatMap(({ error }, n) => (error ? [] : [`wave ${n}`]));
    expect(bodies).toEqual(expect.arrayContaining(['kept', ...saved]));
    expect(bodies).not.toContain('never');
    // The backend holds the lock again.
    await expect.poll(() => backend.errors(), SOON).toContain('The database is back.');
    const elsewhere = await mkdtemp(join(tmpdir(), 'stoppress-away-'));
    folders.push(elsewhere);
    expect(await refusal({ EMBEDDED_SUPABASE_DATA: elsewhere, DATABASE_URL: cluster.url() })).toContain(
      'in use',
    );
    expect(await backend.stop()).toBe(0);
    expect(backend.errors()).not.toContain(new URL(cluster.url()).password);
  });

  test('that vanishes without closing its connections is noticed, and works again when it returns', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stoppress-away-'));
    folders.push(data);
    const proxy = await startFaultyProxy(cluster.url());
    onTestFinished(proxy.close);
    const backend = await startProcess({
      EMBEDDED_SUPABASE_DATA: data,
      EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
      DATABASE_URL: Object.assign(new URL(cluster.url()), { port: new URL(proxy.url).port }).href,
    });
    onTestFinished(() => backend.kill());
    const notes = serviceClient(backend).from('notes');
    expect((await notes.insert({ body: 'before' })).error).toBeNull();
    const { listener, told } = await listenToSite(backend);

    // The server keeps its ends of the connections, and with one of them the lock.
    proxy.setMode('swallows');
    const waiting = await notes.insert({ body: 'into nowhere' });
    expect([waiting.status, waiting.error?.code]).toEqual([503, 'PT503']);
    expect(backend.errors()).toContain('The database does not answer.');
    expect((await notes.insert({ body: 'still away' })).status).toBe(503);

    proxy.setMode('passes');
    await expect.poll(() => backend.errors(), SOON).toContain('The database is back.');
    await expect.poll(async () => (await notes.insert({ body: 'after' })).error, SOON).toBeNull();
    const bodies = (await notes.select('body').throwOnError()).data.map(({ body }) => body);
    expect(bodies).toEqual(expect.arrayContaining(['before', 'after']));
    expect(bodies).not.toContain('still away');
    const other = postgres(cluster.url(), { max: 1, onnotice: () => {} });
    await other`select realtime.send('{"n": 1}', 'change', 'site')`;
    await other.end();
    await expect.poll(() => told, SOON).toEqual([1]);
    await listener.removeAllChannels();
    expect(await backend.stop()).toBe(0);
  });

  test('ends the older backend when a newer one connects to its database', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stoppress-away-'));
    folders.push(data);
    const backend = await startProcess({
      EMBEDDED_SUPABASE_DATA: data,
      EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
      DATABASE_URL: cluster.url(),
    });
    // Another session takes the lock when the backend loses it.
    const other = postgres(cluster.url(), { max: 1, onnotice: () => {} });
    await other`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()`;
    await other`select pg_advisory_lock(objid::bigint) from (values (1937010544)) as lock (objid)`;
    expect(await backend.ended()).toBe(0);
    expect(backend.errors()).toContain('Another backend');
    await other.end();
  });

  test('keeps the file of an object whose row was committed as the connection was lost', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stoppress-away-'));
    folders.push(data);
    const proxy = await startCommitLosingProxy(Number(new URL(cluster.url()).port));
    onTestFinished(proxy.close);
    const backend = await startProcess({
      EMBEDDED_SUPABASE_DATA: data,
      EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
      DATABASE_URL: Object.assign(new URL(cluster.url()), { port: proxy.port }).href,
    });
    onTestFinished(() => backend.kill());
    const { storage } = serviceClient(backend);
    await storage.createBucket('lost');
    const files = storage.from('lost');
    let uploads = 0;
    const loseUpload = async () => {
      const lost = proxy.loseNextCommit();
      const uploaded = files.upload(`report-${++uploads}.txt`, 'The water rises.', {
        contentType: 'text/plain',
      });
      await lost;
      return (await uploaded).error;
    };
    // The lost commit may be one of the backend's own.
    await expect.poll(loseUpload, SOON).toMatchObject({ status: 503 });
    const read = async () => (await files.download(`report-${uploads}.txt`)).data?.text();
    await expect.poll(read, SOON).toBe('The water rises.');
  });
});

/** Subscribes to the changes of the site. `told`: their numbers, in order. */
async function listenToSite(backend: BackendProcess) {
  const listener = serviceClient(backend);
  const told: number[] = [];
  const listening = Promise.withResolvers<void>();
  listener
    .channel('site', { config: { private: true } })
    .on('broadcast', { event: 'change' }, ({ payload }) => told.push(payload.n))
    .subscribe((status) => status === 'SUBSCRIBED' && listening.resolve());
  await listening.promise;
  return { listener, told };
}

/** A proxy in front of a PostgreSQL server that can drop the answer to a COMMIT, and its connection. */
async function startCommitLosingProxy(target: number) {
  let onLost: (() => void) | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      if (!onLost || !bytes.includes('COMMIT\0')) return void near.write(bytes);
      onLost();
      onLost = undefined;
      near.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    /** Loses the answer to the next COMMIT. Resolves when it is lost. */
    loseNextCommit: () =>
      new Promise<void>((resolve) => {
        onLost = resolve;
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
