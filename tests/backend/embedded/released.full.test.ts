import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../../packages/embedded-supabase/src/engine/open.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { ENGINE, MIGRATIONS, removeData, testDataFolders } from '../../support/data-folders.ts';
import { runDataProgram } from '../../support/processes.ts';
import type { ReleaseRecord } from '../../support/release-newsroom.ts';
import { readPublicRows } from '../../support/stored-data.ts';

/* Data of the first release, under this program and under migrations of later releases. */

const RELEASE = resolve('tests/fixtures/release-0.1.0');

/** A migration of a later release. */
const LATER = `
alter table public.updates add column moved boolean not null default false;
update public.updates set moved = true;
create table public.later (id bigint generated always as identity primary key, update_id uuid not null references public.updates (id));
insert into public.later (update_id) select id from public.updates;
alter table public.later enable row level security;
`;

let held: ReleaseRecord;
let seen: Record<string, object[]>;
let migrations: string;
let backups: string;
const { missing, remove: forget } = testDataFolders();
beforeAll(async () => {
  held = JSON.parse(await readFile(join(RELEASE, 'held.json'), 'utf8'));
  seen = JSON.parse(await readFile(join(RELEASE, 'seen.json'), 'utf8'));
  migrations = await mkdtemp(join(tmpdir(), 'stoppress-later-'));
  backups = await mkdtemp(join(tmpdir(), 'stoppress-release-backups-'));
  await cp(MIGRATIONS, migrations, { recursive: true });
  await writeFile(join(migrations, '29990101000000_later.sql'), LATER);
});
afterAll(async () => {
  await forget();
  for (const folder of [migrations, backups]) await rm(folder, { recursive: true, force: true });
});

/** Unpacks the data folder of the release. */
async function unpacked(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'stoppress-released-'));
  onTestFinished(() => removeData(place));
  const tar = join(place, 'newsroom.tar');
  await pipeline(
    createReadStream(join(RELEASE, 'folder.tar.zst')),
    createZstdDecompress(),
    createWriteStream(tar),
  );
  execFileSync('tar', ['--extract', '--file', tar], { cwd: place });
  await rm(tar);
  return join(place, 'newsroom');
}

const sha256 = (bytes: ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

/** Checks public rows, sessions, receipts and photos. */
async function expectAllThere(backend: TestBackend): Promise<void> {
  const visitor = anonClient(backend);
  expect(await readPublicRows(visitor)).toEqual(seen);
  for (const email of Object.values(held.people)) {
    const { error } = await anonClient(backend).auth.signInWithPassword({ email, password: held.password });
    expect(error, email).toBeNull();
  }
  const service = serviceClient(backend);
  const { id, width, sha256: sum } = held.photo;
  const { data: print } = await service.storage.from('photos').download(`renditions/${id}/${width}`);
  expect(sha256((await print?.arrayBuffer()) ?? new ArrayBuffer(0))).toBe(sum);
  for (const receipt of held.receipts) {
    expect((await visitor.rpc('tip_receipt', { receipt })).data, receipt).not.toBeNull();
  }
}

test.skipIf(ENGINE !== 'pglite')(
  'a folder of 0.1.0 is upgraded with public rows and sessions, and a backup is made first',
  async () => {
    const data = await unpacked();
    // The folder must look recent: sessions end after a month without use, and scheduled updates become public.
    const engine = await openEngine({ data, databaseUrl: undefined }, () => {});
    await engine.exec(`
      update auth.sessions set refreshed_at = now(), updated_at = now(), created_at = now();
      set session_replication_role = replica;
      update public.updates set scheduled_for = now() + interval '1 day' where state = 'scheduled';
    `);
    await engine.close();
    const backend = await startBackend({
      data,
      migrations,
      environment: { EMBEDDED_SUPABASE_BACKUPS: backups },
    });
    onTestFinished(() => backend.kill());
    await expectAllThere(backend);
    const { error } = await anonClient(backend).auth.refreshSession({ refresh_token: held.refreshToken });
    expect(error).toBeNull();
    const [archive = ''] = await readdir(backups);
    expect(archive).toMatch(/^backup-before-upgrade-/);
    await backend.kill();

    // Rolls back to the old program and that backup.
    const undone = { EMBEDDED_SUPABASE_DATA: data, EMBEDDED_SUPABASE_MIGRATIONS: MIGRATIONS };
    const restored = await runDataProgram('restore', undone, join(backups, archive), 'overwrite');
    expect([restored.exitCode, restored.errors]).toEqual([0, '']);
    const before = await startBackend({ data, accessList: false });
    onTestFinished(() => before.kill());
    await expectAllThere(before);
  },
  120_000,
);

test('a backup of 0.1.0 is restored on this engine and upgraded', async () => {
  const place = await missing();
  const archive = join(RELEASE, 'backup.tar.gz');
  const restored = await runDataProgram('restore', place.environment, archive);
  expect([restored.exitCode, restored.errors]).toEqual([0, '']);
  const backend = await startBackend({ data: place.data, migrations });
  onTestFinished(() => backend.kill());
  await expectAllThere(backend);
}, 120_000);
