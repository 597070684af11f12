import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import program from '../../package.json' with { type: 'json' };
import { listTables } from '../../packages/embedded-supabase/src/backup/snapshot.ts';
import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import { anonClient, startBackend } from './backend.ts';
import { startMailServer } from './mail.ts';
import { runDataProgram } from './processes.ts';
import { createReleaseNewsroom } from './release-newsroom.ts';
import { readPublicRows } from './stored-data.ts';

/*
 * Stores the data of a newsroom of this release: a backup, the data folder, the public rows, and the links and
 * passwords of its people. Run it once per release, when its migrations are final:
 * node tests/support/make-release.ts
 */

const folder = resolve(`tests/fixtures/release-${program.version}`);
await mkdir(folder, { recursive: true });
const place = await mkdtemp(join(tmpdir(), 'stoppress-release-'));
const data = join(place, 'data');
const mails = await startMailServer();
const backend = await startBackend({ data, environment: mails.environment, accessList: false });
const held = await createReleaseNewsroom(backend, mails);
const seen = await readPublicRows(anonClient(backend));
await writeFile(join(folder, 'held.json'), `${JSON.stringify(held, null, 2)}\n`);
await writeFile(join(folder, 'seen.json'), `${JSON.stringify(seen)}\n`);
await backend.stop();
await mails.stop();

const archive = join(folder, 'backup.tar.gz');
await rm(archive, { force: true });
const { exitCode, errors } = await runDataProgram('backup', { EMBEDDED_SUPABASE_DATA: data }, archive);
if (exitCode !== 0) throw new Error(errors);

// The backend creates these files again.
for (const name of ['lock', 'lock-journal', 'run', 'deno', 'db.room', 'unfinished'])
  await rm(join(data, name), { recursive: true, force: true });
await rename(data, join(place, 'newsroom'));
execFileSync(
  'tar',
  ['--create', '--sort=name', '--owner=0', '--group=0', '--file', 'newsroom.tar', 'newsroom'],
  { cwd: place },
);
execFileSync(
  'zstd',
  ['-19', '--long', '--force', '--quiet', 'newsroom.tar', '-o', join(folder, 'folder.tar.zst')],
  { cwd: place },
);

const engine = await openEngine({ data: join(place, 'newsroom'), databaseUrl: undefined }, () => {});
const empty = await engine.transaction(async (session) => {
  const names: string[] = [];
  for (const { name, quoted } of await listTables(session, 'all')) {
    const { rows } = await session.query<{ there: boolean }>(
      `select exists (select from ${quoted}) as there`,
    );
    if (!rows[0]?.there) names.push(name);
  }
  return names;
});
await engine.close();
console.log(`Without a row: ${empty.join(', ')}`);
await rm(place, { recursive: true });
process.exit(0);
