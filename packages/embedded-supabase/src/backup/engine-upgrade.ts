import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type OlderEngine, PGLITE } from '../engine/pglite-release.ts';
import { readRecord } from '../engine/record.ts';
import { syncEntries, syncFolder } from '../engine/sync-folder.ts';
import { log } from '../log.ts';
import { appliedVersions } from '../migrations.ts';
import type { Settings } from '../settings.ts';
import { deleteUnfinished, timestampOf, unfinishedFolder } from './backup.ts';
import { backUpFirst, type UpgradedData } from './before-upgrade.ts';
import { fill } from './fill.ts';
import { takeSnapshot } from './snapshot.ts';

/** Prefix of the folders that contain data of an earlier engine. */
const ASIDE = 'db.before-engine-';

/**
 * Carries the rows of a data folder over from the engine that an earlier release had: everything, sessions too, into a new
 * folder beside the old one, which takes its name when it is whole and on the disk. The old one is kept.
 * @throws StartError when the backup before it cannot be written, or the data is newer than this program; nothing is changed then
 */
export async function copyToNewEngine(
  settings: UpgradedData & Pick<Settings, 'migrations' | 'config'>,
  older: OlderEngine,
): Promise<void> {
  const { data, migrations } = settings;
  log.info(
    `The data was written by PostgreSQL ${older.postgres}; its rows are carried over into PostgreSQL ${PGLITE.postgres}.`,
  );
  const [place, unfinished] = [
    join(data, 'db'),
    await mkdtemp(join(await unfinishedFolder(data), 'engine-')),
  ];
  // Only here does PGlite run in the backend's own thread.
  const { pgliteSessions } = await import('../engine/pglite-session.ts');
  const pg = await older.open(place);
  const engine = { kind: PGLITE.engine, ...pgliteSessions(pg) };
  let snapshot: Awaited<ReturnType<typeof takeSnapshot>>;
  try {
    await appliedVersions(engine, migrations);
    await backUpFirst(engine, settings);
    snapshot = await takeSnapshot(engine, unfinished, 'everything');
  } finally {
    await pg.close();
  }
  const where = { data: unfinished, databaseUrl: undefined };
  await fill(where, snapshot, unfinished, settings, 'everything');
  const aside = `${ASIDE}${PGLITE.postgres}-${timestampOf(new Date())}`;
  await syncFolder(join(unfinished, 'db'));
  await rename(place, join(data, aside));
  await rename(join(unfinished, 'db'), place);
  await syncEntries(data);
  await deleteUnfinished(data);
  const rows = snapshot.tables.reduce((sum, table) => sum + table.rows, 0);
  log.info(`${rows} rows were carried over; the old ones are kept in ${aside}, which can be deleted.`);
}

/** Puts the old folder back where a carrying over was ended between its two last steps. */
export async function restoreOldFolder(data: string): Promise<void> {
  const recorded = await readRecord(data);
  if (recorded?.engine !== 'pglite' || recorded.postgres === PGLITE.postgres || existsSync(join(data, 'db')))
    return;
  const aside = (await readdir(data))
    .filter((name) => name.startsWith(ASIDE))
    .sort()
    .at(-1);
  if (aside) await rename(join(data, aside), join(data, 'db'));
}
