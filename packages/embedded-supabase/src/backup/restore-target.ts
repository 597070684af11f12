import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { syncFolder } from '../data-folder.ts';
import { isDatabaseError } from '../engine/errors.ts';
import { checkServer, openSingleConnection } from '../engine/postgres-check.ts';
import type { Settings } from '../settings.ts';
import { BackupError } from './archive.ts';

export type DataLocation = Pick<Settings, 'data' | 'databaseUrl'>;

/** A new, empty database that replaces the old one after it was filled and closed. */
export type RestoreTarget = {
  /** Location of the new database. */
  location: DataLocation;
  /** True if the old database exists and is not empty. */
  isOccupied: boolean;
  /** Puts the new database in place and keeps the old one under another name. */
  swap(): AsyncGenerator<UndoableStep>;
  /** Closes the connection. Drops a new database that was not put in place, or an old one that was empty. */
  close(): Promise<void>;
};

/** The database of the connection that creates and renames the others. Every server has it. */
const MAINTENANCE_DATABASE = 'postgres';

/** Maximum length of a name in PostgreSQL, in bytes. Longer names are truncated. */
const MAX_NAME_BYTES = 63;

const OBJECT_IN_USE = '55006';

/**
 * Creates the target on PostgreSQL: a new database on the same server. `swap` renames both in one transaction.
 * @throws StartError if the server cannot be used, or the old database has other clients
 */
export async function createDatabaseTarget(
  data: string,
  databaseUrl: string,
  timestamp: string,
): Promise<RestoreTarget> {
  const name = databaseName(databaseUrl);
  const [incoming, aside] = [
    nameWith(name, `restore_${timestamp}`),
    nameWith(name, `before_restore_${timestamp}`),
  ];
  const maintenanceUrl = withDatabase(databaseUrl, MAINTENANCE_DATABASE);
  await checkServer(maintenanceUrl, {});
  const server = openSingleConnection(maintenanceUrl, {});
  const rename = (from: string, to: string) => (sql: Sql) =>
    sql`alter database ${sql(from)} rename to ${sql(to)}`;
  try {
    const existing = await inspectDatabase(server, name, databaseUrl);
    await createDatabase(server, incoming, existing);
    let isSwapped = false;
    return {
      location: { data, databaseUrl: withDatabase(databaseUrl, incoming) },
      isOccupied: existing?.occupied ?? false,
      async *swap() {
        await renameInTransaction(server, [
          ...(existing ? [rename(name, aside)] : []),
          rename(incoming, name),
        ]);
        isSwapped = true;
        yield {
          async undo() {
            await renameInTransaction(server, [
              rename(name, incoming),
              ...(existing ? [rename(aside, name)] : []),
            ]);
            isSwapped = false;
          },
          ...(existing?.occupied && { replacedData: aside }),
        };
      },
      async close() {
        const obsolete = isSwapped ? existing && !existing.occupied && aside : incoming;
        if (obsolete) await server`drop database if exists ${server(obsolete)}`;
        await server.end();
      },
    };
  } catch (error) {
    await server.end();
    throw asInUseError(error);
  }
}

type ExistingDatabase = { occupied: boolean; collate: string; ctype: string };

/** Returns the database of this name, or undefined if there is none. @throws BackupError if it is in use */
async function inspectDatabase(
  server: Sql,
  name: string,
  url: string,
): Promise<ExistingDatabase | undefined> {
  const [row] = await server<{ collate: string; ctype: string; users: number }[]>`
    select datcollate as collate, datctype as ctype,
      (select count(*)::int from pg_stat_activity
       where datname = ${name} and backend_type = 'client backend') as users
    from pg_database where datname = ${name}`;
  if (!row) return undefined;
  if (row.users > 0) throw inUse();
  const sql = openSingleConnection(url, {});
  try {
    const [relation] = await sql`
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        and not exists (select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      limit 1`;
    return { ...row, occupied: relation !== undefined };
  } finally {
    await sql.end();
  }
}

async function createDatabase(
  server: Sql,
  name: string,
  existing: ExistingDatabase | undefined,
): Promise<void> {
  const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const locale = existing
    ? `lc_collate ${literal(existing.collate)} lc_ctype ${literal(existing.ctype)}`
    : '';
  await server`create database ${server(name)} template template0 encoding 'UTF8' ${server.unsafe(locale)}`;
}

async function renameInTransaction(
  server: Sql,
  renames: ((sql: Sql) => PromiseLike<unknown>)[],
): Promise<void> {
  try {
    await server.begin(async (sql) => {
      for (const rename of renames) await rename(sql as unknown as Sql);
    });
  } catch (error) {
    throw asInUseError(error);
  }
}

const inUse = () =>
  new BackupError(
    'The database of DATABASE_URL is in use: stop the newsroom and all other programs that are connected to it, then try again.',
  );

function asInUseError(error: unknown): unknown {
  return isDatabaseError(error) && error.code === OBJECT_IN_USE ? inUse() : error;
}

function databaseName(url: string): string {
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1) || username);
}

function withDatabase(url: string, name: string): string {
  const newUrl = new URL(url);
  newUrl.pathname = `/${encodeURIComponent(name)}`;
  return newUrl.href;
}

function nameWith(name: string, suffix: string): string {
  return `${Buffer.from(name)
    .subarray(0, MAX_NAME_BYTES - suffix.length - 1)
    .toString()}_${suffix}`;
}

/**
 * Creates the target on PGlite: a folder.
 * @param unfinished a new folder on the disk of the data; the caller deletes it
 */
export function createFolderTarget(data: string, unfinished: string, timestamp: string): RestoreTarget {
  const [incoming, current] = [join(unfinished, 'db'), join(data, 'db')];
  const aside = `${current}.before-restore-${timestamp}`;
  return {
    location: { data: unfinished, databaseUrl: undefined },
    isOccupied: existsSync(current),
    async *swap() {
      await syncFolder(incoming);
      yield* replacePath(incoming, current, aside);
    },
    close: async () => {},
  };
}

/** A completed step, and how to undo it. */
export type UndoableStep = {
  undo: () => Promise<void>;
  /** Path or database name of the replaced data. */
  replacedData?: string;
};

/** Runs all steps. If one fails, undoes the completed steps in reverse order and throws the error. */
export async function runSteps(steps: AsyncIterable<UndoableStep>): Promise<UndoableStep[]> {
  const completedSteps: UndoableStep[] = [];
  try {
    for await (const step of steps) completedSteps.push(step);
    return completedSteps;
  } catch (error) {
    for (const step of completedSteps.reverse()) await step.undo();
    throw error;
  }
}

/** Replaces a file or folder and keeps the old one as `aside`. Either may be missing. All are on one disk. */
export async function* replacePath(
  incoming: string,
  current: string,
  aside: string,
): AsyncGenerator<UndoableStep> {
  if (existsSync(current)) {
    await rename(current, aside);
    yield { undo: () => rename(aside, current), replacedData: aside };
  }
  if (existsSync(incoming)) {
    await rename(incoming, current);
    yield { undo: () => rename(current, incoming) };
  }
}

const markPath = (data: string) => join(data, 'restoring');

/**
 * Marks the folder while restored data is put in place, because a backend that starts meanwhile would find incomplete
 * data.
 */
export async function markRestoring(data: string): Promise<UndoableStep> {
  await writeFile(markPath(data), '', { mode: 0o600, flush: true });
  return { undo: () => unmarkRestoring(data) };
}

export async function unmarkRestoring(data: string): Promise<void> {
  await rm(markPath(data), { force: true });
}

/** Rejects a data folder into which a restore was interrupted while it put data in place. @throws BackupError */
export function rejectInterruptedRestore(data: string): void {
  if (!existsSync(markPath(data))) return;
  throw new BackupError(
    `A restore into ${data} did not finish: run it again, with --overwrite. The previous data is kept under names with before-restore.`,
  );
}
