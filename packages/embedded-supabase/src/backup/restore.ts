import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { lockFolder, syncEntries, syncFolder } from '../data-folder.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine, writeEngineRecord } from '../engine/open.ts';
import { runWithoutTimeLimit } from '../engine/work.ts';
import { listMigrations, migrate } from '../migrations.ts';
import { openRestApi } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import { type ArchiveContents, BackupError, type Manifest, readArchive } from './archive.ts';
import { createUnfinishedFolder, deleteUnfinished, timestampOf } from './backup.ts';
import {
  createDatabaseTarget,
  createFolderTarget,
  type DataLocation,
  markRestoring,
  type RestoreTarget,
  replacePath,
  runSteps,
  type UndoableStep,
  unmarkRestoring,
} from './restore-target.ts';
import { loadRows, type Snapshot, type TableSelection } from './snapshot.ts';

type RestoreSettings = Pick<Settings, 'data' | 'databaseUrl' | 'migrations' | 'config'>;

type RestoreResult = ArchiveContents & {
  /** Folders and database with the replaced data. */
  replacedData: string[];
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
): Promise<RestoreResult> {
  const { data } = target;
  await using resources = new AsyncDisposableStack();
  const createdFolder = await mkdir(data, { recursive: true, mode: 0o700 });
  let isDone = false;
  resources.defer(async () => {
    if (createdFolder && !isDone) await rm(createdFolder, { recursive: true, force: true });
  });
  resources.defer(lockFolder(data));
  await chmod(data, 0o700);
  await deleteUnfinished(data);
  resources.defer(() => deleteUnfinished(data));
  if (!overwrite && isOccupied(data)) throw occupiedError(data);
  const restored = await restoreInto(target, archive, overwrite);
  isDone = true;
  return restored;
}

const isOccupied = (data: string) =>
  ['db', 'files', 'engine.json'].some((name) => existsSync(join(data, name)));

const occupiedError = (location: string) =>
  new BackupError(
    `${location} already contains a newsroom: name an empty place, or use --overwrite to replace it with the backup.`,
  );

async function restoreInto(
  target: RestoreSettings,
  archive: string,
  overwrite: boolean,
): Promise<RestoreResult> {
  const { data, databaseUrl } = target;
  const unfinished = await mkdtemp(join(await createUnfinishedFolder(data), 'restore-'));
  const contents = await readArchive(archive, unfinished);
  await refuseNewer(contents.manifest, target.migrations);

  const timestamp = timestampOf(new Date());
  const restoreTarget = databaseUrl
    ? await createDatabaseTarget(data, databaseUrl, timestamp)
    : createFolderTarget(data, unfinished, timestamp);
  await using resources = new AsyncDisposableStack();
  resources.defer(() => restoreTarget.close());
  if (restoreTarget.isOccupied && !overwrite) throw occupiedError('The database of DATABASE_URL');
  const engine = await loadSnapshot(restoreTarget.location, contents.manifest, unfinished, target);
  const steps = await runSteps(putInPlace(target, restoreTarget, engine, unfinished, timestamp));
  await unmarkRestoring(data);
  return { ...contents, replacedData: steps.flatMap((step) => step.replacedData ?? []) };
}

async function refuseNewer({ migrations, program }: Manifest, folder: string): Promise<void> {
  const knownVersions = new Set((await listMigrations(folder)).map(({ version }) => version));
  const unknown = migrations.find((version) => !knownVersions.has(version));
  if (unknown === undefined) return;
  throw new BackupError(
    `This backup was made by another program (${program}): its data was migrated with ${unknown}, which this program does not have. Restore it with the version that made it, or a later one.`,
  );
}

async function* putInPlace(
  { data, databaseUrl }: RestoreSettings,
  restoreTarget: RestoreTarget,
  engine: Engine,
  unpacked: string,
  timestamp: string,
): AsyncGenerator<UndoableStep> {
  const aside = (name: string) => join(data, `${name}.before-restore-${timestamp}`);
  const files = join(unpacked, 'files');
  if (existsSync(files)) await syncFolder(files);

  yield await markRestoring(data);
  yield* restoreTarget.swap();
  // A newsroom that moved to PostgreSQL may have left its PGlite database here.
  if (databaseUrl) yield* replacePath(join(unpacked, 'none'), join(data, 'db'), aside('db'));
  yield* replacePath(files, join(data, 'files'), aside('files'));
  await writeEngineRecord(data, engine);
  await syncEntries(data);
}

/** Creates a database, runs the migrations of the snapshot, and copies its rows. @returns the engine, closed */
export async function loadSnapshot(
  location: DataLocation,
  snapshot: Pick<Snapshot, 'migrations' | 'tables' | 'sequences'>,
  unpacked: string,
  { migrations, config }: Pick<Settings, 'migrations' | 'config'>,
  selection: TableSelection = 'archive',
): Promise<Engine> {
  const engine = await openEngine(location, () => {});
  try {
    await runWithoutTimeLimit('restore', async () => {
      // Creates the schemas and tables that the migrations need.
      await openRestApi(engine, await readConfig(config));
      await migrate(engine, migrations, (version) => snapshot.migrations.includes(version));
      const advice = 'restore it with the version that made it, or a later one.';
      const destination = { name: 'this program', advice, selection };
      await engine.transaction((session) => loadRows(session, snapshot, unpacked, destination));
    });
    return engine;
  } finally {
    await engine.close();
  }
}
