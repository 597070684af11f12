import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { copyData, ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { createNewsroom, type Newsroom } from '../../../support/newsroom.ts';
import { runDataProgram, startProcess } from '../../../support/processes.ts';
import { allRows, findInconsistencies } from '../../../support/stored-data.ts';

/* Upgrades a folder of PGlite 0.4 (PostgreSQL 17) with a later release that has PGlite 0.5 (PostgreSQL 18). */

const HOOK = pathToFileURL('tests/support/next-engine/hook.ts').href;
const LATER = { NODE_OPTIONS: `--import ${HOOK}` };

describe.skipIf(ENGINE !== 'pglite')('a later engine', () => {
  let data: string;
  let backups: string;
  let newsroom: Newsroom;
  let session: { access_token: string; refresh_token: string };
  let revisions: unknown[];
  beforeAll(async () => {
    data = await newDataFolder();
    backups = await mkdtemp(join(tmpdir(), 'stoppress-engine-backups-'));
    const backend = await startBackend({ data });
    const service = serviceClient(backend);
    newsroom = await createNewsroom({ ...backend, service });
    const one = await newsroom.publish({ headline: 'Zażółć gęślą jaźń 🌊' });
    await newsroom.correct(one, { headline: 'Corrected' }, 'It was two metres.');
    session = (await newsroom.people.reporter.client.auth.getSession()).data.session ?? session;
    revisions = await revisionsOf(backend);
    // The backend is killed, as by a machine failure.
    await backend.kill();
  });
  afterAll(async () => {
    await removeData(data);
    await rm(backups, { recursive: true, force: true });
  });

  const revisionsOf = (backend: TestBackend | Awaited<ReturnType<typeof startProcess>>) =>
    allRows(serviceClient(backend), 'update_revisions', '*', 'update_id', 'version');
  const majorOf = async (folder: string) => (await readFile(join(folder, 'db/PG_VERSION'), 'utf8')).trim();
  const later = (folder: string, more: Record<string, string> = {}) =>
    startProcess({ ...LATER, EMBEDDED_SUPABASE_DATA: folder, ...more });
  const copied = async () => {
    const copy = await copyData(data);
    onTestFinished(() => removeData(copy));
    return copy;
  };

  test('migrates everything with sessions, keeps the old folder and writes a backup first', async () => {
    const folder = await copied();
    // Simulates an interruption between the last two steps: the old folder is renamed, the new one is not in place.
    await rename(join(folder, 'db'), join(folder, 'db.before-engine-18-20261122-000000'));
    const backend = await later(folder, { EMBEDDED_SUPABASE_BACKUPS: backups });
    onTestFinished(() => backend.kill());
    expect(await majorOf(folder)).toBe('18');
    expect(JSON.parse(await readFile(join(folder, 'engine.json'), 'utf8'))).toMatchObject({ postgres: 18 });
    expect((await readdir(folder)).filter((name) => name.startsWith('db.before-engine-18-'))).toHaveLength(1);
    expect(await revisionsOf(backend)).toEqual(revisions);
    const client = anonClient(backend);
    expect((await client.auth.setSession(session)).error).toBeNull();
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.from('updates').select('number')).data).toEqual([{ number: 1 }]);
    expect(await findInconsistencies(serviceClient(backend))).toEqual([]);
    // The newsroom can be changed and started again.
    const { editor } = newsroom.people;
    expect((await anonClient(backend).auth.signInWithPassword(editor)).error).toBeNull();
    expect(await backend.stop()).toBe(0);
    expect(await readdir(folder)).not.toContain('unfinished');

    // The old version can be restored with the backup. It refuses the new folder.
    await expect(startProcess({ EMBEDDED_SUPABASE_DATA: folder })).rejects.toThrow(
      'Start it with the version that wrote it',
    );
    const [archive = ''] = await readdir(backups);
    expect(archive).toMatch(/^backup-before-upgrade-/);
    const restored = await runDataProgram(
      'restore',
      { EMBEDDED_SUPABASE_DATA: folder },
      join(backups, archive),
      'overwrite',
    );
    expect([restored.exitCode, restored.errors]).toEqual([0, '']);
    const back = await startBackend({ data: folder });
    onTestFinished(() => back.kill());
    expect(await majorOf(folder)).toBe('17');
    expect(await revisionsOf(back)).toEqual(revisions);
  }, 120_000);

  test('keeps the old folder when it is killed, and the next start migrates all of it', async () => {
    const folder = await copied();
    const unfinished = join(folder, 'unfinished');
    const dying = later(folder, { EMBEDDED_SUPABASE_DATA: folder });
    dying.catch(() => {});
    // Waits until the upgrade fills the new folder.
    await expect
      .poll(() => existsSync(unfinished) && deepIn(unfinished, 'PG_VERSION'), { timeout: 30_000 })
      .toBe(true);
    process.kill(holderOf(await readFile(join(folder, 'lock'))), 'SIGKILL');
    await expect(dying).rejects.toThrow();
    expect(await majorOf(folder)).toBe('17');
    const backend = await later(folder);
    onTestFinished(() => backend.kill());
    expect(await majorOf(folder)).toBe('18');
    expect(await revisionsOf(backend)).toEqual(revisions);
  }, 120_000);
});

const holderOf = (lock: Buffer) => lock.readUInt32BE(60);

async function deepIn(folder: string, name: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.some((entry) => entry.endsWith(`/${name}`));
}
