import { readConfig } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { longRunning } from '../engine/work.ts';
import { migrate } from '../migrations.ts';
import { openLite } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import type { Snapshot } from './snapshot.ts';
import { type Extent, loadRows } from './tables.ts';
import type { DataLocation } from './targets.ts';

/**
 * Makes a new database, runs exactly the migrations that the rows have had, and copies the rows in.
 * @param unpacked the folder of the rows
 * @returns the engine, closed
 */
export async function fill(
  where: DataLocation,
  snapshot: Pick<Snapshot, 'migrations' | 'tables' | 'sequences'>,
  unpacked: string,
  { migrations, config }: Pick<Settings, 'migrations' | 'config'>,
  extent: Extent = 'archive',
): Promise<Engine> {
  const engine = await openEngine(where, () => {});
  try {
    await longRunning('restore', async () => {
      // Makes what comes before the first migration.
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
