import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  ARCHIVE_FORMAT_VERSION,
  packArchive,
  readArchive,
} from '../../../../packages/embedded-supabase/src/backup/archive.ts';
import { writeScheduledBackup } from '../../../../packages/embedded-supabase/src/backup/backup.ts';
import { readSettings } from '../../../../packages/embedded-supabase/src/settings.ts';
import { serviceClient } from '../../../support/backend.ts';
import { createEmptyDatabase, testDataFolders } from '../../../support/data-folders.ts';
import {
  type BackendProcess,
  COMPILE_CACHE,
  runDataProgram,
  StartError,
  startProcess,
} from '../../../support/processes.ts';
import { CANNOT_MOUNT_REASON, mountSmallDisk } from '../../../support/small-disk.ts';
import { PROBE_SCHEMA } from '../probe.ts';

vi.setConfig({ testTimeout: 90_000 });

const { migrated, missing, remove: forget } = testDataFolders(PROBE_SCHEMA);
const running: BackendProcess[] = [];
let parent: string;
let folder: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stoppress-automatic-'));
});
beforeEach(async () => {
  folder = join(await mkdtemp(join(parent, 'test-')), 'backups');
});
afterAll(async () => {
  for (const backend of running) await backend.kill();
  await forget();
  await rm(parent, { recursive: true, force: true });
});

async function start(environment: Record<string, string>): Promise<BackendProcess> {
  const backend = await startProcess(environment);
  running.push(backend);
  return backend;
}

const inFolder = () =>
  readdir(folder).then(
    (names) => names.sort(),
    () => [],
  );

const EMPTY = { program: '1', madeAt: '', engine: { kind: 'none', version: '' }, migrations: [], tables: [] };
const empty = async () => packArchive({ format: ARCHIVE_FORMAT_VERSION, ...EMPTY, sequences: [] }, []);

/** Backups of an earlier month. */
const EARLIER = [
  'stoppress-scheduled-20260101-041500.tar.gz',
  'stoppress-scheduled-20260102-041500.tar.gz',
  'stoppress-scheduled-20260103-041500.tar.gz',
];
const NOT_OURS = [
  'stoppress-20260101-120000.tar.gz',
  'stoppress-before-upgrade-20260101-120000.tar.gz',
  'stoppress-scheduled-20260101-041500.tar.gz.old',
  'stoppress-scheduled-2026.tar.gz',
  'letters.txt',
];

async function fill(names: string[]) {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), '');
}

test('keeps the newest backups of its kind, and touches no other files', async () => {
  await fill([...EARLIER, ...NOT_OURS]);
  await writeScheduledBackup('stoppress-scheduled', empty, { folder, at: undefined, keep: 2 });
  const names = await inFolder();
  const made = names.filter((name) => !EARLIER.includes(name) && !NOT_OURS.includes(name));
  expect(made).toEqual([expect.stringMatching(/^stoppress-scheduled-20\d{6}-\d{6}\.tar\.gz$/)]);
  expect(names).toEqual([...NOT_OURS, ...EARLIER.slice(2), ...made].sort());
});

test('deletes nothing and leaves nothing when it fails', async () => {
  await fill(EARLIER);
  const broken = async () => Readable.from([Buffer.from('not an archive')]);
  const settings = { folder, at: undefined, keep: 1 };
  await expect(writeScheduledBackup('stoppress-scheduled', broken, settings)).rejects.toThrow('is damaged');
  expect(await inFolder()).toEqual(EARLIER);
});

test('leaves nothing on a full disk, and works again when there is space', async ({ skip }) => {
  const place = await migrated();
  await mkdir(join(place.data, 'files'), { recursive: true });
  await writeFile(join(place.data, 'files', 'large.bin'), randomBytes(3_000_000));
  await fill(EARLIER);
  const disk = mountSmallDisk(folder, '4m');
  if (!disk) return skip(CANNOT_MOUNT_REASON);
  try {
    await fill(EARLIER);
    disk.fill(1_000_000);
    const backUp = () => runDataProgram('backup', place.environment, folder);
    const { exitCode, errors } = await backUp();
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('disk is full')]);
    expect(await inFolder()).toEqual(['ballast', ...EARLIER]);
    disk.empty();
    expect(await backUp()).toMatchObject({ exitCode: 0, report: { files: 1 } });
  } finally {
    disk.unmount();
  }
});

test('leaves the earlier ones when it is killed half way, and the next one is complete', async () => {
  const place = await migrated();
  await mkdir(join(place.data, 'files'), { recursive: true });
  await writeFile(join(place.data, 'files', 'large.bin'), randomBytes(60_000_000));
  await fill(EARLIER);
  const killed = fork(resolve('packages/embedded-supabase/src/data-program.ts'), ['backup', folder], {
    env: { ...COMPILE_CACHE, ...place.environment },
    silent: true,
  });
  const hasBegun = async () => {
    const partial = (await inFolder()).find((name) => name.endsWith('.partial'));
    return partial ? (await stat(join(folder, partial))).size : 0;
  };
  await expect.poll(hasBegun, { timeout: 30_000, interval: 5 }).toBeGreaterThan(1_000_000);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect((await inFolder()).filter((name) => !name.endsWith('.partial'))).toEqual(EARLIER);

  const { exitCode, report } = await runDataProgram('backup', place.environment, folder);
  expect([exitCode, report]).toEqual([0, expect.objectContaining({ files: 1 })]);
  const { manifest } = await readArchive(report?.path ?? '');
  expect(manifest.format).toBe(ARCHIVE_FORMAT_VERSION);
  expect(await readdir(join(place.data, 'unfinished')).catch(() => [])).toEqual([]);
});

test('deletes partial files after a day', async () => {
  const partial = (day: string) => `stoppress-scheduled-${day}-041500.tar.gz.0a1b2c3d.partial`;
  await fill([partial('20260101'), partial('20260102')]);
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  await utimes(join(folder, partial('20260101')), twoDaysAgo, twoDaysAgo);
  await writeScheduledBackup('stoppress-scheduled', empty, { folder, at: undefined, keep: 9 });
  expect(await inFolder()).toEqual([partial('20260102'), expect.stringMatching(/gz$/)]);
});

test('runs on a schedule, keeps a number of archives, and continues after a failure', async () => {
  const place = await migrated();
  // A file at the path of the folder makes backups fail.
  await writeFile(folder, '');
  const backend = await start({
    ...place.environment,
    EMBEDDED_SUPABASE_BACKUPS: folder,
    EMBEDDED_SUPABASE_BACKUP_AT: '* * * * * *',
    EMBEDDED_SUPABASE_BACKUP_KEEP: '2',
  });
  await expect
    .poll(backend.errors, { timeout: 20_000 })
    .toContain('The scheduled backup was not written (ENOTDIR).');
  await rm(folder);
  const seen = new Set<string>();
  await expect
    .poll(async () => (await inFolder()).reduce((all, name) => all.add(name), seen).size, { timeout: 40_000 })
    .toBeGreaterThan(3);
  expect(await backend.stop()).toBe(0);

  const names = await inFolder();
  expect(names).toHaveLength(2);
  for (const name of names) expect((await readArchive(join(folder, name))).manifest.tables).not.toEqual([]);
  expect(await readdir(join(place.data, 'unfinished'))).toEqual([]);
});

test('runs nightly if there is a backup folder, unless configured otherwise', () => {
  const backups = (more: Record<string, string>) =>
    readSettings({ EMBEDDED_SUPABASE_DATA: '/data', ...more }).backups;
  expect(backups({ EMBEDDED_SUPABASE_BACKUP_AT: '* * * * *' })).toBeUndefined();
  expect(backups({ EMBEDDED_SUPABASE_BACKUPS: '/b' })).toEqual({ folder: '/b', at: '15 4 * * *', keep: 14 });
  const more = { EMBEDDED_SUPABASE_BACKUP_AT: 'off', EMBEDDED_SUPABASE_BACKUP_KEEP: '3' };
  expect(backups({ EMBEDDED_SUPABASE_BACKUPS: '/b', ...more })).toEqual({
    folder: '/b',
    at: undefined,
    keep: 3,
  });
});

test.each([
  [{ EMBEDDED_SUPABASE_BACKUP_AT: 'at night' }, 'EMBEDDED_SUPABASE_BACKUP_AT must be a cron expression'],
  [{ EMBEDDED_SUPABASE_BACKUP_KEEP: '0' }, 'EMBEDDED_SUPABASE_BACKUP_KEEP must be'],
  [{ EMBEDDED_SUPABASE_BACKUP_KEEP: 'all' }, 'EMBEDDED_SUPABASE_BACKUP_KEEP must be'],
])('reports an invalid setting: %o', async (environment, sentence) => {
  const refused = await startProcess({
    EMBEDDED_SUPABASE_DATA: '/nowhere',
    EMBEDDED_SUPABASE_BACKUPS: folder,
    ...environment,
  } as Record<string, string>).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toContain(sentence);
});

test('runs before an upgrade, which does not start without it', async () => {
  const place = await migrated();
  const old = await start(place.environment);
  expect((await serviceClient(old).from('notes').insert({ body: 'precious' })).error).toBeNull();
  await old.stop();

  const migrations = join(parent, 'bad-upgrade');
  await cp(PROBE_SCHEMA, migrations, { recursive: true });
  await writeFile(join(migrations, '20260101000900_bad.sql'), 'delete from public.notes;');
  const upgraded = {
    ...place.environment,
    EMBEDDED_SUPABASE_MIGRATIONS: migrations,
    EMBEDDED_SUPABASE_BACKUPS: folder,
  };

  await writeFile(folder, '');
  const refused = await startProcess(upgraded).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toContain(
    'The upgrade was not started, because the backup before it failed.',
  );
  await rm(folder);

  const backend = await start(upgraded);
  expect((await serviceClient(backend).from('notes').select()).data).toEqual([]);
  await backend.stop();
  const [name = '', ...more] = await inFolder();
  expect(name).toMatch(/^backup-before-upgrade-/);
  expect(more).toEqual([]);

  // The second start has nothing to upgrade.
  await (await start(upgraded)).stop();
  expect(await inFolder()).toEqual([name]);

  const undone = await runDataProgram('restore', place.environment, join(folder, name), 'overwrite');
  expect(undone.errors).toBe('');
  const again = await start(place.environment);
  expect((await serviceClient(again).from('notes').select('body')).data).toEqual([{ body: 'precious' }]);
});

test('does not run for a new newsroom', async () => {
  const place = await missing();
  await createEmptyDatabase(place.data);
  const backend = await start({ ...place.environment, EMBEDDED_SUPABASE_BACKUPS: folder });
  expect(await backend.stop()).toBe(0);
  expect(await inFolder()).toEqual([]);
  expect(await readFile(join(place.data, 'engine.json'), 'utf8')).toContain('version');
});
