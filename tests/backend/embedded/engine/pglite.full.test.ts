import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import { writeEmptyDatabase } from '../../../../packages/embedded-supabase/src/engine/empty-database.ts';
import type { Engine, SessionPool } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { makeCommitsDurable } from '../../../../packages/embedded-supabase/src/engine/full-disk.ts';
import { openKysely } from '../../../../packages/embedded-supabase/src/engine/kysely.ts';
import { openPglite } from '../../../../packages/embedded-supabase/src/engine/pglite.ts';
import { pgliteOptions } from '../../../../packages/embedded-supabase/src/engine/pglite-options.ts';
import { PgliteThread } from '../../../../packages/embedded-supabase/src/engine/pglite-thread.ts';
import { openRestApi, type RestApi } from '../../../../packages/embedded-supabase/src/rest/lite.ts';
import { startBackend } from '../../../support/backend.ts';
import { ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { startProcess } from '../../../support/processes.ts';
import { PROBE_SCHEMA } from '../probe.ts';

describe.skipIf(ENGINE !== 'pglite')('the single session of PGlite', () => {
  let data: string;
  let engine: Engine;
  let restApi: RestApi;
  beforeAll(async () => {
    data = await newDataFolder(PROBE_SCHEMA);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    engine = await openPglite(join(data, 'db'));
    restApi = await openRestApi(engine, await readConfig());
    await restApi.reloadSchema();
  });
  afterAll(async () => {
    await engine.close();
    vi.useRealTimers();
    await removeData(data);
  });

  test('runs other work after a transaction has ended', async () => {
    const seen: unknown[] = [];
    await engine.db.transaction().execute(async (transaction) => {
      await sql`set local role anon`.execute(transaction);
      const whoAmI = engine.transaction((session) =>
        session.query<{ who: string }>('select current_user as who'),
      );
      seen.push(whoAmI.then(({ rows }) => rows[0]?.who));
      await sql`select 1`.execute(transaction);
    });
    expect(await Promise.all(seen)).toEqual(['postgres']);
  });

  test('starts a new log every few minutes, so that it does not grow without limit', async () => {
    const begins = () =>
      engine.transaction((session) => session.query('select redo_lsn::text from pg_control_checkpoint()'));
    const before = await begins();
    await engine.exec('create table public.written (); drop table public.written');
    expect(await begins()).toEqual(before);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await begins()).not.toEqual(before);
  });

  test('reports a deadlock with itself as an error', async () => {
    const { transaction } = engine;
    const sessions = { transaction, maxSessions: 1 } as SessionPool;
    sessions.query = (...statement) => transaction((session) => session.query(...statement));
    const impatient = openKysely<unknown>(sessions, 50);
    const waiting = impatient.transaction().execute(() => sql`select 1`.execute(impatient));
    await expect(waiting).rejects.toThrow('Waited too long for a database session.');
    expect((await sql<{ one: number }>`select 1 as one`.execute(impatient)).rows).toEqual([{ one: 1 }]);
  });

  test('needs three messages for a request: caller, query and end', async () => {
    const requests: string[] = [];
    const { call } = PgliteThread.prototype;
    const spy = vi.spyOn(PgliteThread.prototype, 'call').mockImplementation(function (
      this: PgliteThread,
      ...args
    ) {
      requests.push(args[0].kind);
      return call.apply(this, args) as never;
    });
    await restApi.handle(new Request('http://inside/rest/v1/kinds?select=id'), { role: 'anon' }, 'server');
    spy.mockRestore();
    expect(requests).toEqual(['query', 'query', 'end']);
  });
});

describe.skipIf(ENGINE !== 'pglite')('the disk of PGlite', () => {
  let data: string;
  let pg: PGlite;
  beforeAll(async () => {
    data = await newDataFolder(PROBE_SCHEMA);
    pg = await PGlite.create(join(data, 'db'), pgliteOptions);
  });
  afterAll(async () => {
    await pg.close();
    await removeData(data);
  });

  test('is synced at every commit', async () => {
    const sync = vi.fn();
    await makeCommitsDurable(pg, sync);
    for (let i = 0; i < 20; i++) await pg.query('insert into public.closed values ($1)', [100 + i]);
    await makeCommitsDurable(pg);
    expect(sync.mock.calls.length).toBeGreaterThanOrEqual(20);
  });

  test('is synced for the folder of a new log file', async () => {
    const sync = vi.fn();
    await makeCommitsDurable(pg, sync);
    // PostgreSQL starts a new file after every 16 MB.
    await pg.exec(`create table public.long_log as
      select g, repeat(md5(g::text), 30) from generate_series(1, 20000) g; checkpoint; drop table public.long_log`);
    await makeCommitsDurable(pg);
    expect(new Set(sync.mock.calls.map(([descriptor]) => typeof descriptor))).toEqual(new Set(['number']));
  });
});

describe.skipIf(ENGINE !== 'pglite')('the data folder', () => {
  test('of an interrupted first start is created again', async () => {
    const [whole, data] = [
      await newDataFolder(PROBE_SCHEMA),
      await mkdtemp(join(tmpdir(), 'stoppress-cut-short-')),
    ];
    await cp(join(whole, 'db', 'base'), join(data, 'db.new', 'base'), { recursive: true });
    const backend = await startBackend({ data, migrations: PROBE_SCHEMA });
    expect(await readdir(data)).not.toContain('db.new');
    expect(await backend.stop()).toBe(0);
    for (const folder of [whole, data]) await rm(folder, { recursive: true });
  });

  test('of another major version is refused', async () => {
    const data = await newDataFolder(PROBE_SCHEMA);
    const start = () =>
      startProcess({ EMBEDDED_SUPABASE_DATA: data, EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA });
    const written = (postgres: number) => writeFile(join(data, 'db', 'PG_VERSION'), `${postgres}\n`);
    await written(18);
    await expect(start()).rejects.toThrow(/\(PostgreSQL 18\).*Start it with the version that wrote it/);
    await written(16);
    await expect(start()).rejects.toThrow(/\(PostgreSQL 16\).*Install the version that wrote it/);
    // An empty newsroom must not replace one whose files are missing.
    await rm(join(data, 'db'), { recursive: true });
    await expect(start()).rejects.toThrow(/The database of .* is missing/);
    await removeData(data);
  });
});

describe.skipIf(ENGINE !== 'pglite')('a new database', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoppress-empty-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const expectUsable = async (path: string) => {
    const engine = await openPglite(path);
    await engine.exec("create table public.notes (body text); insert into public.notes values ('one')");
    const { rows } = await engine.transaction((session) => session.query('select body from public.notes'));
    expect(rows).toEqual([{ body: 'one' }]);
    await engine.close();
  };

  test('is a copy of an empty one, which is made once', { timeout: 240_000 }, async () => {
    const cache = join(folder, 'cache');
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await writeEmptyDatabase(first, cache);
    const kept = await readdir(cache);
    expect(kept).toEqual([expect.stringMatching(/^database-[\d.]+$/)]);
    await expectUsable(first);

    await writeEmptyDatabase(second, cache);
    expect(await readdir(cache)).toEqual(kept);
    await expectUsable(second);
  });

  test('is also made where no empty one can be kept', { timeout: 240_000 }, async () => {
    const path = join(folder, 'third');
    await writeEmptyDatabase(path, '/dev/null/cache');
    await expectUsable(path);
  });
});
