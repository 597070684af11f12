import { randomBytes } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { expect, onTestFinished, test } from 'vitest';
import { serviceClient } from '../../support/backend.ts';
import { ENGINE, newDataFolder, removeData } from '../../support/data-folders.ts';
import { findPostgres, startCluster } from '../../support/postgres-cluster.ts';
import { type BackendProcess, startProcess } from '../../support/processes.ts';
import { CANNOT_MOUNT_REASON, mountSmallDisk } from '../../support/small-disk.ts';
import { startBreakableProxy } from '../../support/tcp-proxies.ts';
import { PROBE_SCHEMA } from './probe.ts';

/** Creates a data folder on a small disk that is unmounted after the test. Skips the test if no disk can be mounted. */
async function dataOnSmallDisk(skip: (reason: string) => never, size: string) {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-disk-'));
  const disk = mountSmallDisk(folder, size);
  onTestFinished(async () => {
    disk?.unmount();
    await rm(folder, { recursive: true });
  });
  if (!disk) return skip(CANNOT_MOUNT_REASON);
  const template = await newDataFolder(PROBE_SCHEMA);
  const data = join(folder, 'data');
  cpSync(template, data, { recursive: true });
  await removeData(template);
  return { disk, environment: { EMBEDDED_SUPABASE_DATA: data, EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA } };
}

/** Writes so many rows that the table needs a new page. */
async function writeNotes(backend: BackendProcess, name: string) {
  const bodies = Array.from({ length: 200 }, (_, n) => `${name} ${n}`);
  const { error, status } = await serviceClient(backend)
    .from('notes')
    .insert(bodies.map((body) => ({ body })));
  return { status, error, written: error ? 0 : bodies.length };
}

test.skipIf(ENGINE !== 'pglite')(
  'a full disk refuses writes as unavailable, keeps acknowledged ones, and allows reading',
  { timeout: 60_000 },
  async ({ skip }) => {
    const { disk, environment } = await dataOnSmallDisk(skip, '200m');
    const backend = await startProcess(environment);
    onTestFinished(() => backend.kill());
    const notes = serviceClient(backend).from('notes');
    let kept = 0;
    const write = async (name: string) => {
      const { status, error, written } = await writeNotes(backend, name);
      kept += written;
      return [status, error?.code, error?.message];
    };
    expect(await write('before')).toEqual([201, undefined, undefined]);

    disk.fill();
    // The first write without space uses the reserve, or is refused as a whole.
    let n = 0;
    const full = [503, 'PT503', 'unavailable'];
    await expect.poll(() => write(`full ${n++}`), { timeout: 20_000, interval: 5 }).toEqual(full);
    expect(await write('never')).toEqual(full);
    expect((await notes.select('*', { count: 'exact', head: true })).count).toBe(kept);
    const reports = () => backend.errors().match(/The disk is full\. /g) ?? [];
    expect(reports()).toHaveLength(1);

    disk.empty();
    await expect.poll(() => write(`room ${n++}`), { timeout: 10_000 }).toEqual([201, undefined, undefined]);
    expect(backend.errors()).toContain('There is space on the disk again');
    await backend.kill();

    const again = await startProcess({
      ...environment,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    });
    onTestFinished(() => again.kill());
    const rows = serviceClient(again).from('notes').select('*', { count: 'exact', head: true });
    expect((await rows).count).toBe(kept);
  },
);

test.skipIf(ENGINE !== 'pglite')(
  'a backend does not start on a full disk, and starts when there is space',
  { timeout: 60_000 },
  async ({ skip }) => {
    const { disk, environment } = await dataOnSmallDisk(skip, '200m');
    const backend = await startProcess(environment);
    onTestFinished(() => backend.kill());
    const { written } = await writeNotes(backend, 'before');
    await backend.kill();
    // A start may use the reserve. Without it, 1 MB is free, which is too little.
    disk.fill();
    rmSync(join(environment.EMBEDDED_SUPABASE_DATA, 'db.room'));
    disk.fill(1024 * 1024);
    const start = () =>
      startProcess({
        ...environment,
        PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
        SUPABASE_SECRET_KEY: backend.secretKey,
      });
    await expect(start()).rejects.toThrow('is full: make room there');

    disk.empty();
    const again = await start();
    onTestFinished(() => again.kill());
    const rows = serviceClient(again).from('notes').select('*', { count: 'exact', head: true });
    expect((await rows).count).toBe(written);
  },
);

/** Writes to the write-ahead log alone, as much as one statement can. */
const WRITE_LOG = `
create function public.write_log(megabytes int) returns void language plpgsql as $$
begin
  for n in 1..megabytes loop
    perform pg_logical_emit_message(true, 'test', repeat(md5(n::text), 32 * 1024));
  end loop;
end $$;
grant execute on function public.write_log to service_role;`;

test.skipIf(ENGINE !== 'pglite')(
  'a database that uses up its reserve ends the backend with a reason, and keeps acknowledged writes',
  { timeout: 90_000 },
  async ({ skip }) => {
    const { disk, environment } = await dataOnSmallDisk(skip, '200m');
    const migrations = await mkdtemp(join(tmpdir(), 'stoppress-migrations-'));
    onTestFinished(() => rm(migrations, { recursive: true }));
    cpSync(PROBE_SCHEMA, migrations, { recursive: true });
    writeFileSync(join(migrations, '29990101000000_write_log.sql'), WRITE_LOG);
    const ownEnvironment = { ...environment, EMBEDDED_SUPABASE_MIGRATIONS: migrations };
    const backend = await startProcess(ownEnvironment);
    onTestFinished(() => backend.kill());
    const { written } = await writeNotes(backend, 'before');

    disk.fill();
    const { status } = await serviceClient(backend).rpc('write_log', { megabytes: 80 });
    expect(status).not.toBe(204);
    expect(await backend.ended()).toBe(1);
    expect(backend.errors()).toContain('The disk and the space reserved for the database are full.');

    disk.empty();
    const again = await startProcess({
      ...ownEnvironment,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    });
    onTestFinished(() => again.kill());
    const rows = serviceClient(again).from('notes').select('*', { count: 'exact', head: true });
    expect((await rows).count).toBe(written);
    expect((await writeNotes(again, 'after')).status).toBe(201);
  },
);

test.skipIf(ENGINE !== 'postgres')(
  "PostgreSQL's own full disk refuses writes as unavailable, keeps acknowledged ones, and allows reading",
  { timeout: 90_000 },
  async ({ skip }) => {
    const [folder, data] = await Promise.all([
      mkdtemp(join(tmpdir(), 'stoppress-disk-')),
      mkdtemp(join(tmpdir(), 'stoppress-away-')),
    ]);
    const disk = mountSmallDisk(folder, '300m');
    onTestFinished(async () => {
      disk?.unmount();
      for (const one of [folder, data]) await rm(one, { recursive: true });
    });
    if (!disk) return skip(CANNOT_MOUNT_REASON);
    const cluster = await startCluster(findPostgres() as string, { parent: folder });
    onTestFinished(() => cluster.end());
    const backend = await startProcess({
      EMBEDDED_SUPABASE_DATA: data,
      EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA,
      DATABASE_URL: cluster.url(),
    });
    onTestFinished(() => backend.kill());
    const notes = serviceClient(backend).from('notes');
    let kept = (await writeNotes(backend, 'before')).written;

    disk.fill();
    let n = 0;
    const write = async () => {
      const { status, error, written } = await writeNotes(backend, `full ${n++}`);
      kept += written;
      return [status, error?.code, error?.message];
    };
    await expect.poll(write, { timeout: 20_000, interval: 5 }).toEqual([503, 'PT503', 'unavailable']);
    expect((await notes.select('*', { count: 'exact', head: true })).count).toBe(kept);
    expect(backend.errors()).toContain('PostgreSQL refuses writes');

    disk.empty();
    await expect.poll(write, { timeout: 20_000 }).toEqual([201, undefined, undefined]);
    expect((await notes.select('*', { count: 'exact', head: true })).count).toBe(kept);
    expect(await backend.stop()).toBe(0);
  },
);

test.skipIf(ENGINE !== 'pglite')(
  'a resumable upload continues when there is space again, and none begins on a nearly full disk',
  { timeout: 60_000 },
  async ({ skip }) => {
    // Uploads begin only while 512 MB are free.
    const { disk, environment } = await dataOnSmallDisk(skip, '700m');
    const backend = await startProcess(environment);
    onTestFinished(() => backend.kill());
    const proxy = await startBreakableProxy(backend.url);
    onTestFinished(() => proxy.close());
    const { storage } = serviceClient(backend);
    await storage.createBucket('parts');
    const bytes = randomBytes(5_000_000);
    const send = (url: string, objectName: string, retryDelays: number[] | null) =>
      new Promise<void>((resolve, reject) => {
        new Upload(bytes, {
          endpoint: `${url}/storage/v1/upload/resumable`,
          headers: { apikey: backend.secretKey },
          metadata: { bucketName: 'parts', objectName, contentType: 'application/octet-stream' },
          chunkSize: 6 * 1024 * 1024,
          onSuccess: () => resolve(),
          onError: reject,
          retryDelays,
        }).start();
      });

    const isHeld = proxy.holdAfter(1_000_000);
    const sent = send(
      proxy.url,
      'report.bin',
      Array.from({ length: 100 }, () => 200),
    );
    await isHeld;
    disk.fill();
    proxy.cut();
    await expect.poll(() => backend.errors(), { timeout: 20_000 }).toContain('The disk is full: a file was');
    await expect(send(backend.url, 'another.bin', null)).rejects.toThrow('There is no room');
    disk.empty();
    await sent;
    const { data } = await storage.from('parts').download('report.bin');
    expect(bytes.equals(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer()))).toBe(true);
    expect((await storage.from('parts').list()).data?.map(({ name }) => name)).toEqual(['report.bin']);
  },
);
