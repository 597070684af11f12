import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { isDatabaseError } from '../engine/errors.ts';
import { openEngine } from '../engine/open.ts';
import type { DatabaseSession } from '../engine/session.ts';
import { longRunning } from '../engine/work.ts';
import { migrate } from '../migrations.ts';
import { openLite } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import { BackupError, dataPart, type Manifest, type TablePart } from './archive.ts';
import type { Snapshot } from './snapshot.ts';
import {
  COPY_SETTINGS,
  type Extent,
  listSequences,
  listTables,
  quotedColumns,
  type Table,
} from './tables.ts';
import type { DataLocation } from './targets.ts';

/**
 * Fills a database, which has had exactly the migrations of the manifest, with the rows of an unpacked archive. What
 * migrations have put into these tables goes first. All or nothing.
 * @throws BackupError when tables are not as the archive has them, or rows do not fit
 */
export function load(
  engine: Engine,
  manifest: Pick<Manifest, 'tables' | 'sequences'>,
  folder: string,
  extent: Extent = 'archive',
): Promise<void> {
  return engine.transaction(async (session) => {
    // Neither triggers nor foreign keys act while rows come in table by table; the snapshot kept them already.
    await session.exec(`set local session_replication_role to replica; ${COPY_SETTINGS}`);
    const parts = matchTables(manifest.tables, await listTables(session, extent));
    for (const { table } of parts) await session.exec(`delete from ${table.quoted}`);
    for (const one of parts) await loadTable(session, one, folder);
    await setSequences(session, manifest, extent);
  });
}

type Match = { part: TablePart; table: Table };

function matchTables(parts: TablePart[], tables: Table[]): Match[] {
  return parts.map((part) => {
    const table = tables.find(({ name }) => name === part.table);
    const unknown = part.columns.find((column) => !table?.columns.includes(column));
    if (!table || unknown !== undefined) {
      const what = table ? `column ${unknown} of ${part.table}` : `table ${part.table}`;
      throw new BackupError(
        `This backup has a ${what} that this program does not know: restore it with the version that made it, or a later one.`,
      );
    }
    return { part, table };
  });
}

async function loadTable(session: DatabaseSession, { part, table }: Match, folder: string): Promise<void> {
  const { name, quoted } = table;
  // A table without columns has rows that COPY cannot name.
  const target = part.columns.length > 0 ? `${quoted} (${quotedColumns(part.columns)})` : quoted;
  try {
    await session.copyIn(target, createReadStream(join(folder, dataPart(name))));
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    // Only its code: PostgreSQL quotes the row that it refuses.
    throw new BackupError(`The rows of ${name} do not fit this program's schema (${error.code}).`);
  }
  const { rows } = await session.query<{ count: number }>(`select count(*)::int as count from ${quoted}`);
  if (rows[0]?.count !== part.rows) {
    throw new BackupError(`${name} should have ${part.rows} rows and has ${rows[0]?.count}.`);
  }
}

async function setSequences(
  session: DatabaseSession,
  { sequences }: Pick<Manifest, 'sequences'>,
  extent: Extent,
): Promise<void> {
  const known = await listSequences(session, extent);
  for (const { sequence, value, used } of sequences) {
    const quoted = known.get(sequence);
    if (!quoted)
      throw new BackupError(`This backup has a sequence ${sequence} that this program does not know.`);
    await session.query('select setval($1::regclass, $2::bigint, $3)', [quoted, value, used]);
  }
}

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
      await load(engine, snapshot, unpacked, extent);
    });
    return engine;
  } finally {
    await engine.close();
  }
}
