import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { dataPartName, type Manifest, type TablePart } from '../backup/archive.ts';
import { loadRows, quotedColumns, type TableInfo } from '../backup/snapshot.ts';
import type { DatabaseSession } from '../engine/engine.ts';
import { isDatabaseError } from '../engine/errors.ts';
import { openSession } from '../engine/postgres.ts';
import { StartError } from '../start-error.ts';

/** The database of a project, for the role `postgres`, which is not a superuser. */
type ProjectDatabase = DatabaseSession & {
  /** Commits when the work is done, rolls back when it throws. */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_S = 15;

/**
 * Settings of the connection. Both sides write and read times in the same zone. There is no statement timeout, because
 * moving a newsroom takes longer than a request may.
 */
const SESSION_SETTINGS = {
  application_name: 'embedded-supabase move',
  TimeZone: 'UTC',
  statement_timeout: 0,
  lock_timeout: 10_000,
};

/**
 * Connects to the database of a project: directly, or by its pooler in session mode.
 * @throws StartError if the connection fails; the message leaves out the URL, which contains a password
 */
export async function openProject(url: string): Promise<ProjectDatabase> {
  const sql = postgres(url, {
    max: 1,
    prepare: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    connection: SESSION_SETTINGS,
    onnotice: () => {},
    ...(!isLocal(url) && !/[?&]ssl(mode)?=/.test(url) && { ssl: 'require' }),
  });
  try {
    await sql`select 1`;
  } catch (error) {
    await sql.end({ timeout: 1 });
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StartError(
      `The database of MOVE_DATABASE_URL cannot be reached (${code}): take the URL from the project's Connect page, direct or by the pooler in session mode, with its password.`,
    );
  }
  return {
    ...openSession(sql, sql),
    transaction: async <Result>(work: (session: DatabaseSession) => Promise<Result>) =>
      (await sql.begin((transaction) => work(openSession(transaction, sql as Sql)))) as Result,
    close: () => sql.end({ timeout: CONNECT_TIMEOUT_S }),
  };
}

const isLocal = (url: string) => /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(url).hostname);

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const readValue = (text: string): string | null =>
  text === '\\N' ? null : text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

/**
 * Reads the rows of a file in COPY's text format. The table must fit into memory.
 * @param columns of the file, in order
 */
export async function readCopyRows(
  path: string,
  columns: string[],
): Promise<Record<string, string | null>[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => {
    const values = line.split('\t').map(readValue);
    return Object.fromEntries(columns.map((column, n) => [column, values[n] ?? null]));
  });
}

/**
 * Number and digest of rows, whatever their order. The digest is the sum of the SHA-256 of each row, modulo 2^256, in
 * hexadecimal.
 */
type TableDigest = { rows: number; digest: string };

const MODULUS = 1n << 256n;

/** Computes the digest of rows. @param pieces rows in COPY's text format, split at any byte */
async function digestRows(pieces: AsyncIterable<Uint8Array>): Promise<TableDigest> {
  let total = 0n;
  let rows = 0;
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const text = rest.length > 0 ? Buffer.concat([rest, piece]) : Buffer.from(piece);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      total = (total + BigInt(`0x${hash('sha256', text.subarray(start, end))}`)) % MODULUS;
      rows++;
      start = end + 1;
    }
    rest = Buffer.from(text.subarray(start));
  }
  return { rows, digest: total.toString(16).padStart(64, '0') };
}

/** Result of moving a table. */
export type MovedTable = TableDigest & { table: string };

/** An unpacked archive: its manifest, and the folder with its parts. */
export type UnpackedArchive = { manifest: Manifest; folder: string };

/**
 * Checks what a project contains.
 * @returns `empty`, or `ours` if it contains this newsroom
 * @throws StartError if the project contains other data, or other migrations were applied to it
 */
export async function compareProject(
  session: DatabaseSession,
  { manifest, folder }: UnpackedArchive,
): Promise<'empty' | 'ours'> {
  const applied = await session
    .query<{ version: string }>('select version from supabase_migrations.schema_migrations order by version')
    .catch((error: unknown) => {
      if (isDatabaseError(error)) return { rows: [] };
      throw error;
    });
  const projectVersions = applied.rows.map(({ version }) => version);
  const missingVersion = manifest.migrations.find((version) => !projectVersions.includes(version));
  const unknownVersion = projectVersions.find((version) => !manifest.migrations.includes(version));
  if (missingVersion) {
    throw new StartError(
      `The project was not migrated with ${missingVersion}: run \`npx supabase db push\` as docs/hosted.md says, then try again.`,
    );
  }
  if (unknownVersion) {
    throw new StartError(
      `The project was migrated with ${unknownVersion}, which this newsroom does not have: start the newsroom once with that version, then try again.`,
    );
  }
  const { rows } = await session.query<{ empty: boolean; feed_id: string }>(
    `select not exists (select from auth.users) and not exists (select from public.people)
       and not exists (select from public.coverages) and not exists (select from public.tips) as empty,
     (select feed_id::text from public.site) as feed_id`,
  );
  if (rows[0]?.empty) return 'empty';
  if (rows[0]?.feed_id === (await feedIdOf({ manifest, folder }))) return 'ours';
  throw new StartError(
    'The project holds another newsroom or accounts already: nothing was touched. Name an empty project.',
  );
}

/** Returns the permanent id of the newsroom: the feed id of its site. */
async function feedIdOf({ manifest, folder }: UnpackedArchive): Promise<string | null | undefined> {
  const columns = manifest.tables.find(({ table }) => table === 'public.site')?.columns ?? [];
  const [site] = await readCopyRows(join(folder, dataPartName('public.site')), columns);
  return site?.feed_id;
}

/**
 * Tables that are moved: accounts, and the schemas of the project. Sessions are not moved; migrations create jobs and
 * buckets, and files are uploaded through the Storage API.
 */
const isMoved = ({ table }: TablePart) =>
  /^(public|private)\./.test(table) || table === 'auth.users' || table === 'auth.identities';

/** Columns of accounts that Auth reads as strings, never as null. Pending tokens are not moved. */
const NON_NULL_COLUMNS = [
  'confirmation_token',
  'recovery_token',
  'email_change',
  'email_change_token_new',
  'email_change_token_current',
  'phone_change',
  'phone_change_token',
  'reauthentication_token',
];

const AUTH_DEFAULTS = `update auth.users set instance_id = '00000000-0000-0000-0000-000000000000', ${NON_NULL_COLUMNS.map(
  (column) => `${column} = coalesce(${column}, '')`,
).join(', ')} where true`;

/**
 * Inserts all rows in one transaction, without triggers, and compares each table with the archive before the commit.
 * @param onBeforeCommit runs directly before the commit
 */
export function moveRows(
  project: ProjectDatabase,
  unpacked: UnpackedArchive,
  onBeforeCommit: () => Promise<void>,
): Promise<MovedTable[]> {
  const { manifest, folder } = unpacked;
  return project.transaction(async (session) => {
    await session.exec(
      'lock table auth.users, public.people, public.coverages, public.site in share row exclusive mode',
    );
    if ((await compareProject(session, unpacked)) !== 'empty')
      throw new StartError('The project was filled meanwhile.');
    const tables = manifest.tables.filter(isMoved);
    const sequences = manifest.sequences.filter(({ sequence }) => /^(public|private)\./.test(sequence));
    const destination = { name: 'the project', advice: 'nothing was moved.' };
    const loaded = await loadRows(session, { tables, sequences }, folder, destination);
    await session.exec(AUTH_DEFAULTS);
    const moved: MovedTable[] = [];
    for (const { part, table } of loaded) moved.push(await verify(session, part, table, folder));
    await onBeforeCommit();
    return moved;
  });
}

/** Compares the rows of a table with those of the archive. @throws StartError if any row differs */
async function verify(
  session: DatabaseSession,
  part: TablePart,
  table: TableInfo,
  folder: string,
): Promise<MovedTable> {
  const columns = part.columns.map((column) =>
    part.table === 'auth.users' && NON_NULL_COLUMNS.includes(column)
      ? `nullif(${column}, '')`
      : quotedColumns([column]),
  );
  const inProject = await digestRows(session.copyOut(`select ${columns.join(', ')} from ${table.quoted}`));
  const inArchive = await digestRows(createReadStream(join(folder, dataPartName(part.table))));
  if (inProject.rows !== inArchive.rows || inProject.digest !== inArchive.digest) {
    throw new StartError(
      `${part.table} has ${inArchive.rows} rows here and ${inProject.rows} there, or different ones: nothing was moved.`,
    );
  }
  return { table: part.table, ...inProject };
}
