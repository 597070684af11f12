import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DatabaseSession, Engine } from '../engine/engine.ts';
import { isDatabaseError } from '../engine/errors.ts';
import { runWithoutTimeLimit } from '../engine/work.ts';
import { BackupError, dataPartName, type Manifest, type SequenceValue, type TablePart } from './archive.ts';

/** Bytes of a table that one query reads. PGlite returns all rows of a query at once, in memory. */
const BYTES_PER_QUERY = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

export type Snapshot = Pick<Manifest, 'engine' | 'migrations' | 'tables' | 'sequences'>;

/**
 * Writes all rows, as of one moment, into a folder. On PGlite other requests wait meanwhile, so this function does not
 * compress or hash.
 */
export function takeSnapshot(
  engine: Pick<Engine, 'kind' | 'transaction'>,
  folder: string,
  selection: TableSelection = 'archive',
): Promise<Snapshot> {
  const writeSnapshot = async (session: DatabaseSession): Promise<Snapshot> => {
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
    for (const table of await listTables(session, selection)) {
      const path = join(folder, dataPartName(table.name));
      tables.push({ table: table.name, columns: table.columns, rows: await writeRows(session, table, path) });
    }
    const sequences = await readSequences(session, selection);
    return {
      engine: { kind: engine.kind, version: server.rows[0]?.version ?? '' },
      migrations: migrations.rows.map(({ version }) => version),
      tables,
      sequences,
    };
  };
  return runWithoutTimeLimit('backup', () => engine.transaction(writeSnapshot));
}

/** Writes the rows of a table into a file, in COPY's text format. @returns the number of rows */
async function writeRows(session: DatabaseSession, table: TableInfo, path: string): Promise<number> {
  let count = 0;
  async function* rows() {
    for (const query of selectQueries(table)) {
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

/**
 * Generates the queries for all rows, some pages at a time. The last query has no upper bound, because the table may
 * have grown since its pages were counted.
 */
function* selectQueries({ quoted, columns, pages, bytes }: TableInfo): Generator<string> {
  const rows = `select ${quotedColumns(columns)} from ${quoted}`;
  const step = Math.max(1, Math.ceil((pages * BYTES_PER_QUERY) / Math.max(bytes, 1)));
  for (let page = 0; page === 0 || page < pages; page += step) {
    const conditions = [];
    if (page > 0) conditions.push(`ctid >= '(${page},0)'`);
    if (page + step < pages) conditions.push(`ctid < '(${page + step},0)'`);
    yield conditions.length > 0 ? `${rows} where ${conditions.join(' and ')}` : rows;
  }
}

/** Counts rows in COPY's text format, where each row ends with a line feed and contains no other. */
function countRows(piece: Uint8Array): number {
  let count = 0;
  for (let index = piece.indexOf(NEWLINE); index >= 0; index = piece.indexOf(NEWLINE, index + 1)) count++;
  return count;
}

async function readSequences(session: DatabaseSession, selection: TableSelection): Promise<SequenceValue[]> {
  const values: SequenceValue[] = [];
  for (const [sequence, quoted] of await listSequences(session, selection)) {
    const { rows } = await session.query<Omit<SequenceValue, 'sequence'>>(
      `select last_value::text as value, is_called as used from ${quoted}`,
    );
    for (const { value, used } of rows) values.push({ sequence, value, used });
  }
  return values;
}

/** A table whose rows belong to the newsroom. */
export type TableInfo = {
  /** With its schema: `public.updates`. */
  name: string;
  /** The name, quoted for a statement. */
  quoted: string;
  /** Columns in their order, without generated columns. */
  columns: string[];
  /** Pages of the table's file. */
  pages: number;
  /** Bytes of the table's file and of its long values (TOAST). */
  bytes: number;
};

/**
 * Tables and sequences that an archive leaves out: sessions and tokens, which a thief of the archive could use; rows
 * that migrations create again, such as jobs and secrets; and transient messages and requests.
 */
const EXCLUDED = [
  'auth.sessions',
  'auth.refresh_tokens',
  'auth.mfa_amr_claims',
  'auth.flow_state',
  'auth.one_time_tokens',
  'auth.pending_sign_ups',
  'cron.job',
  'cron.job_run_details',
  'cron.jobid_seq',
  'cron.runid_seq',
  'net._http_response',
  'net.http_request_queue',
  'net.http_request_queue_id_seq',
  'realtime.messages',
  'realtime.messages_position_seq',
  'supabase_migrations.schema_migrations',
  'supabase_migrations.seed_files',
  'vault.secrets',
];

/** Tables that are never copied, because the migrations write their rows as they run. */
const MIGRATION_TABLES = ['supabase_migrations.schema_migrations', 'supabase_migrations.seed_files'];

/** The tables of an archive, or all tables, to copy the data to another engine. */
export type TableSelection = 'archive' | 'all';

const isIncluded =
  (selection: TableSelection) =>
  ({ name }: { name: string }) =>
    !(selection === 'archive' ? EXCLUDED : MIGRATION_TABLES).includes(name);

/** Condition for relations of PostgreSQL itself, and for those that an extension creates and fills. */
const FOREIGN_RELATIONS = `
  n.nspname in ('pg_catalog', 'information_schema', 'pg_toast') or n.nspname like 'pg\\_temp\\_%'
  or exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Returns the selected tables, sorted by name. */
export async function listTables(
  session: DatabaseSession,
  selection: TableSelection = 'archive',
): Promise<TableInfo[]> {
  const { rows } = await session.query<TableInfo>(
    `select n.nspname || '.' || c.relname as name,
       format('%I.%I', n.nspname, c.relname) as quoted,
       (select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as pages,
       pg_table_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and not (${FOREIGN_RELATIONS})
     order by name`,
  );
  return rows.filter(isIncluded(selection));
}

/** Returns the selected sequences: for each name, the name quoted for a statement. */
export async function listSequences(
  session: DatabaseSession,
  selection: TableSelection = 'archive',
): Promise<Map<string, string>> {
  const { rows } = await session.query<{ name: string; quoted: string }>(
    `select n.nspname || '.' || c.relname as name, format('%I.%I', n.nspname, c.relname) as quoted
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and not (${FOREIGN_RELATIONS}) order by name`,
  );
  return new Map(rows.filter(isIncluded(selection)).map(({ name, quoted }) => [name, quoted]));
}

/** Returns the column names as a quoted list for a statement. */
export const quotedColumns = (columns: string[]) =>
  columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(', ');

/** Settings with which values are written and read alike, whatever the defaults of the server are. */
const COPY_SETTINGS = `
  set local datestyle to iso, mdy;
  set local intervalstyle to postgres;
  set local extra_float_digits to 1;`;

type Destination = {
  /** The database, in messages: `this program`. */
  name: string;
  /** Advice in the message about a missing table. */
  advice: string;
  selection?: TableSelection;
};

/**
 * Replaces rows and sequences by those of an unpacked archive, in a transaction of the caller. Triggers do not run.
 * @returns the parts with their tables
 * @throws BackupError if the database lacks a table, column or sequence, or rejects rows
 */
export async function loadRows(
  session: DatabaseSession,
  { tables, sequences }: Pick<Manifest, 'tables' | 'sequences'>,
  folder: string,
  { name: destination, advice, selection }: Destination,
): Promise<{ part: TablePart; table: TableInfo }[]> {
  const unknownError = (item: string) =>
    new BackupError(`This backup has a ${item} that ${destination} does not know: ${advice}`);
  await session.exec(`set local session_replication_role to replica; ${COPY_SETTINGS}`);
  const existingTables = await listTables(session, selection);
  const matches = tables.map((part) => {
    const table = existingTables.find(({ name }) => name === part.table);
    if (!table) throw unknownError(`table ${part.table}`);
    const column = part.columns.find((name) => !table.columns.includes(name));
    if (column !== undefined) throw unknownError(`column ${column} of ${part.table}`);
    return { part, table };
  });
  // Empties all tables first, because a row of a later table may refer to an earlier one.
  for (const { table } of matches) await session.exec(`delete from ${table.quoted} where true`);
  for (const { part, table } of matches) await loadTable(session, part, table, folder, destination);
  const existingSequences = await listSequences(session, selection);
  for (const { sequence, value, used } of sequences) {
    const quoted = existingSequences.get(sequence);
    if (!quoted) throw unknownError(`sequence ${sequence}`);
    await session.query('select setval($1::regclass, $2::bigint, $3)', [quoted, value, used]);
  }
  return matches;
}

async function loadTable(
  session: DatabaseSession,
  { table: name, columns, rows: expected }: TablePart,
  { quoted }: TableInfo,
  folder: string,
  destination: string,
): Promise<void> {
  // A table without columns may have rows, but COPY accepts no empty list of columns.
  const target = columns.length > 0 ? `${quoted} (${quotedColumns(columns)})` : quoted;
  try {
    await session.copyIn(target, createReadStream(join(folder, dataPartName(name))));
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    // Only the code, because PostgreSQL's message quotes the row that it refuses.
    throw new BackupError(`The rows of ${name} do not fit ${destination}'s schema (${error.code}).`);
  }
  const { rows } = await session.query<{ count: number }>(`select count(*)::int as count from ${quoted}`);
  if (rows[0]?.count !== expected) {
    throw new BackupError(`${name} should have ${expected} rows and has ${rows[0]?.count}.`);
  }
}
