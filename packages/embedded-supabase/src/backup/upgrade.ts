import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncEntries, syncFolder } from '../data-folder.ts';
import type { Engine } from '../engine/engine.ts';
import { readEngineRecord } from '../engine/open.ts';
import { type LegacyEngine, PGLITE_RELEASE } from '../engine/pglite-release.ts';
import { backendLog } from '../log/log.ts';
import { appliedVersions, listMigrations } from '../migrations.ts';
import type { Settings } from '../settings.ts';
import { StartError, startFailureMessage } from '../start-error.ts';
import {
  createTakeBackup,
  createUnfinishedFolder,
  deleteUnfinished,
  timestampOf,
  writeScheduledBackup,
} from './backup.ts';
import { loadSnapshot } from './restore.ts';
import { takeSnapshot } from './snapshot.ts';

/** The settings that a backup before an upgrade depends on. */
type UpgradedData = Pick<Settings, 'data' | 'backups' | 'backupPrefix' | 'program'>;

/**
 * Writes a backup if there are new migrations.
 * @param applied versions of the applied migrations
 * @throws StartError if the backup cannot be written; the upgrade must not begin then
 */
export async function backUpBeforeUpgrade(
  engine: Engine,
  settings: UpgradedData & Pick<Settings, 'migrations'>,
  applied: Set<string>,
): Promise<void> {
  if (!settings.backups || applied.size === 0) return;
  const migrations = await listMigrations(settings.migrations);
  if (migrations.every(({ version }) => applied.has(version))) return;
  await backUpFirst(engine, settings);
}

/** Writes a backup before an upgrade, if there is a folder for backups. @throws StartError if writing fails */
async function backUpFirst(
  engine: Parameters<typeof createTakeBackup>[0],
  settings: UpgradedData,
): Promise<void> {
  const { backups, backupPrefix } = settings;
  if (!backups) return;
  try {
    await writeScheduledBackup(`${backupPrefix}-before-upgrade`, createTakeBackup(engine, settings), backups);
  } catch (error) {
    throw new StartError(
      `The upgrade was not started, because the backup before it failed. ${startFailureMessage(error, 'It was not written')}`,
    );
  }
}

/** Prefix of the folders that contain data of an earlier engine. */
const ASIDE_PREFIX = 'db.before-engine-';

/**
 * Copies everything from the engine of an earlier release into a new folder. The new folder replaces the old one when
 * it is complete and synced. The old folder is kept.
 * @throws StartError if the backup fails or the data is newer; nothing is changed then
 */
export async function copyToNewEngine(
  settings: UpgradedData & Pick<Settings, 'migrations' | 'config'>,
  older: LegacyEngine,
): Promise<void> {
  const { data, migrations } = settings;
  backendLog.info(
    `The data was written by PostgreSQL ${older.postgres}; its rows are copied into PostgreSQL ${PGLITE_RELEASE.postgres}.`,
  );
  const [databaseFolder, unfinished] = [
    join(data, 'db'),
    await mkdtemp(join(await createUnfinishedFolder(data), 'engine-')),
  ];
  // A dynamic import, because only this upgrade runs PGlite in the backend's own thread.
  const { pgliteSessionPool } = await import('../engine/pglite-session.ts');
  const pg = await older.open(databaseFolder);
  const engine = { kind: PGLITE_RELEASE.engine, ...pgliteSessionPool(pg) };
  let snapshot: Awaited<ReturnType<typeof takeSnapshot>>;
  try {
    await appliedVersions(engine, migrations);
    await backUpFirst(engine, settings);
    snapshot = await takeSnapshot(engine, unfinished, 'all');
  } finally {
    await pg.close();
  }
  const location = { data: unfinished, databaseUrl: undefined };
  await loadSnapshot(location, snapshot, unfinished, settings, 'all');
  const aside = `${ASIDE_PREFIX}${PGLITE_RELEASE.postgres}-${timestampOf(new Date())}`;
  await syncFolder(join(unfinished, 'db'));
  await rename(databaseFolder, join(data, aside));
  await rename(join(unfinished, 'db'), databaseFolder);
  await syncEntries(data);
  await deleteUnfinished(data);
  const rows = snapshot.tables.reduce((sum, table) => sum + table.rows, 0);
  backendLog.info(`${rows} rows were copied. The old data is in ${aside}, which can be deleted.`);
}

/** Undoes a copy to a new engine that was interrupted between its two renames. */
export async function undoInterruptedCopy(data: string): Promise<void> {
  const recorded = await readEngineRecord(data);
  if (
    recorded?.engine !== 'pglite' ||
    recorded.postgres === PGLITE_RELEASE.postgres ||
    existsSync(join(data, 'db'))
  )
    return;
  const aside = (await readdir(data))
    .filter((name) => name.startsWith(ASIDE_PREFIX))
    .sort()
    .at(-1);
  if (aside) await rename(join(data, aside), join(data, 'db'));
}
