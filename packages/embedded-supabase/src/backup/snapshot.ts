import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../engine/engine.ts';
import type { DatabaseSession } from '../engine/session.ts';
import { longRunning } from '../engine/work.ts';
import { BackupError, dataPart, type Manifest, type SequenceValue, type TablePart } from './archive.ts';
import {
  COPY_SETTINGS,
  type Extent,
  listSequences,
  listTables,
  quotedColumns,
  type Table,
} from './tables.ts';

/** Bytes of a table that are read at once: PGlite gives the rows of a query in one piece of memory. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

export type Snapshot = Pick<Manifest, 'engine' | 'migrations' | 'tables' | 'sequences'>;

/**
 * Writes all rows of one moment into a folder. On PGlite all other requests wait meanwhile, so it does not compress or
 * hash.
 */
export function takeSnapshot(
  engine: Pick<Engine, 'kind' | 'transaction'>,
  folder: string,
  extent: Extent = 'archive',
): Promise<Snapshot> {
  const write = async (session: DatabaseSession): Promise<Snapshot> => {
    await session.exec(`set transaction isolation level repeatable read, read only; ${COPY_SETTINGS}`);
    const [row] = (
      await session.query<{ history: string | null }>(
        "select to_regclass('supabase_migrations.schema_migrations')::text as history",
      )
    ).rows;
    if (!row?.history) throw new BackupError('There is no newsroom in this database.');
    const server = await session.query<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    const migrations = await session.query<{ version: string }>(
      'select version from supabase_migrations.schema_migrations order by version',
    );
    const tables: TablePart[] = [];
    for (const table of await listTables(session, extent)) {
      const path = join(folder, dataPart(table.name));
      tables.push({ table: table.name, columns: table.columns, rows: await writeRows(session, table, path) });
    }
    const sequences = await readSequences(session, extent);
    return {
      engine: { kind: engine.kind, version: server.rows[0]?.version ?? '' },
      migrations: migrations.rows.map(({ version }) => version),
      tables,
      sequences,
    };
  };
  return longRunning('backup', () => engine.transaction(write));
}

/** @returns how many rows there are */
async function writeRows(session: DatabaseSession, table: Table, path: string): Promise<number> {
  let count = 0;
  async function* rows() {
    for (const query of selects(table)) {
      for await (const piece of session.copyOut(query)) {
        count += countRows(piece);
        yield piece;
      }
    }
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(rows, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  return count;
}

/** All rows, some pages at a time. The last go on without an end: since the pages were counted, others may have come. */
function* selects({ quoted, columns, pages, bytes }: Table): Generator<string> {
  const rows = `select ${quotedColumns(columns)} from ${quoted}`;
  const step = Math.max(1, Math.ceil((pages * BYTES_AT_ONCE) / Math.max(bytes, 1)));
  for (let page = 0; page === 0 || page < pages; page += step) {
    const conditions = [];
    if (page > 0) conditions.push(`ctid >= '(${page},0)'`);
    if (page + step < pages) conditions.push(`ctid < '(${page + step},0)'`);
    yield conditions.length > 0 ? `${rows} where ${conditions.join(' and ')}` : rows;
  }
}

/** A line feed ends a row, and nothing else is one. */
function countRows(piece: Uint8Array): number {
  let count = 0;
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

async function readSequences(session: DatabaseSession, extent: Extent): Promise<SequenceValue[]> {
  const values: SequenceValue[] = [];
  for (const [sequence, quoted] of await listSequences(session, extent)) {
    const { rows } = await session.query<Omit<SequenceValue, 'sequence'>>(
      `select last_value::text as value, is_called as used from ${quoted}`,
    );
    for (const { value, used } of rows) values.push({ sequence, value, used });
  }
  return values;
}
