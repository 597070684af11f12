import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { lockFolder, syncEntries, syncFolder } from '../data-folder.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { recordEngine } from '../engine/record.ts';
import { longRunning } from '../engine/work.ts';
import { listMigrations, migrate } from '../migrations.ts';
import { openLite } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import { BackupError, type Contents, type Manifest, readArchive } from './archive.ts';
import { deleteUnfinished, timestampOf, unfinishedFolder } from './backup.ts';
import {
  type DataLocation,
  databasePlace,
  folderPlace,
  markRestoring,
  type RestoreTarget,
  runSteps,
  type Step,
  swap,
  unmarkRestoring,
} from './restore-target.ts';
import { type Extent, loadRows, type Snapshot } from './snapshot.ts';

type RestoreSettings = Pick<Settings, 'data' | 'databaseUrl' | 'migrations' | 'config'>;

type Restored = Contents & {
  /** Folders and database with the replaced data. */
  aside: string[];
};

/**
 * Restores an archive into a new database, which replaces the old one when it is complete. The old data is kept under
 * another name. An error changes nothing.
 * @param overwrite whether the restore may replace existing data
 * @throws StartError
 */
export async function restore(
  target: RestoreSettings,
  archive: string,
  overwrite: boolean,
): Promise<Restored> {
  const { data } = target;
  await using held = new AsyncDisposableStack();
  const made = await mkdir(data, { recursive: true, mode: 0o700 });
  let done = false;
  held.defer(async () => {
    if (made && !done) await rm(made, { recursive: true, force: true });
  });
  held.defer(lockFolder(data));
  await chmod(data, 0o700);
  await deleteUnfinished(data);
  held.defer(() => deleteUnfinished(data));
  if (!overwrite && isOccupied(data)) throw occupied(data);
  const restored = await restoreInto(target, archive, overwrite);
  done = true;
  return restored;
}

const isOccupied = (data: string) =>
  ['db', 'files', 'engine.json'].some((name) => existsSync(join(data, name)));

const occupied = (what: string) =>
  new BackupError(
    `${what} holds a newsroom already: name an empty place, or say --overwrite to put the backup in its stead.`,
  );

async function restoreInto(target: RestoreSettings, archive: string, overwrite: boolean): Promise<Restored> {
  const { data, databaseUrl } = target;
  const unfinished = await mkdtemp(join(await unfinishedFolder(data), 'restore-'));
  const contents = await readArchive(archive, unfinished);
  await refuseNewer(contents.manifest, target.migrations);

  const stamp = timestampOf(new Date());
  const place = databaseUrl
    ? await databasePlace(data, databaseUrl, stamp)
    : folderPlace(data, unfinished, stamp);
  await using held = new AsyncDisposableStack();
  held.defer(() => place.close());
  if (place.occupied && !overwrite) throw occupied('The database of DATABASE_URL');
  const engine = await loadSnapshot(place.where, contents.manifest, unfinished, target);
  const steps = await runSteps(putInPlace(target, place, engine, unfinished, stamp));
  await unmarkRestoring(data);
  return { ...contents, aside: steps.flatMap((step) => step.aside ?? []) };
}

async function refuseNewer({ migrations, program }: Manifest, folder: string): Promise<void> {
  const known = new Set((await listMigrations(folder)).map(({ version }) => version));
  const unknown = migrations.find((version) => !known.has(version));
  if (unknown === undefined) return;
  throw new BackupError(
    `This backup was made by another program (${program}): its data has had migration ${unknown}, which this one does not know. Restore it with the version that made it, or a later one.`,
  );
}

async function* putInPlace(
  { data, databaseUrl }: RestoreSettings,
  place: RestoreTarget,
  engine: Engine,
  unpacked: string,
  stamp: string,
): AsyncGenerator<Step> {
  const aside = (name: string) => join(data, `${name}.before-restore-${stamp}`);
  const files = join(unpacked, 'files');
  if (existsSync(files)) await syncFolder(files);

  yield await markRestoring(data);
  yield* place.swap();
  // A newsroom that moved to PostgreSQL may have left its PGlite database here.
  if (databaseUrl) yield* swap(join(unpacked, 'none'), join(data, 'db'), aside('db'));
  yield* swap(files, join(data, 'files'), aside('files'));
  await recordEngine(data, engine);
  await syncEntries(data);
}

/** Creates a database, runs the migrations of the snapshot, and copies its rows. @returns the engine, closed */
export async function loadSnapshot(
  where: DataLocation,
  snapshot: Pick<Snapshot, 'migrations' | 'tables' | 'sequences'>,
  unpacked: string,
  { migrations, config }: Pick<Settings, 'migrations' | 'config'>,
  extent: Extent = 'archive',
): Promise<Engine> {
  const engine = await openEngine(where, () => {});
  try {
    await longRunning('restore', async () => {
      // Creates the schemas and tables that the migrations need.
      await openLite(engine, await readConfig(config));
      await migrate(engine, migrations, (version) => snapshot.migrations.includes(version));
      const advice = 'restore it with the version that made it, or a later one.';
      const destination = { name: 'this program', advice, extent };
      await engine.transaction((session) => loadRows(session, snapshot, unpacked, destination));
    });
    return engine;
  } finally {
    await engine.close();
  }
}
