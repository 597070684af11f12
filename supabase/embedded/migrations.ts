import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { StartError } from './start-error.ts';

/** The Supabase CLI's rule: digits that order, an underscore, a name. */
const FILE_NAME = /^(\d+)_(.+)\.sql$/;

type Migration = { file: string; version: string; name: string };

/**
 * Runs, in the order of their names, the migrations that this database has not had: each with its row of
 * history in one transaction, so that a failing one leaves nothing behind.
 * @returns the names of the files that ran
 * @throws StartError naming the file that failed, or the version that only a newer program knows
 */
export async function migrate(pg: PGlite, folder: string): Promise<string[]> {
  const migrations = await list(folder);
  const history = await pg.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  const applied = new Set(history.rows.map((row) => row.version));

  const unknown = [...applied].filter((version) => !migrations.some((one) => one.version === version));
  if (unknown.length > 0) {
    throw new StartError(
      `The data is newer than this program: it has had migration ${unknown.sort().at(-1)}, which is not in ${folder}. Start it with the version that made it, or a later one.`,
    );
  }

  const pending = migrations.filter((one) => !applied.has(one.version));
  for (const one of pending) await apply(pg, folder, one);
  return pending.map((one) => one.file);
}

async function list(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => {
    const [, version, name] = FILE_NAME.exec(file) ?? [];
    if (!version || !name)
      throw new StartError(`${file} is not a migration's name: it must be like 20260101000000_name.sql.`);
    return { file, version, name };
  });
}

async function apply(pg: PGlite, folder: string, { file, version, name }: Migration): Promise<void> {
  const statements = await readFile(join(folder, file), 'utf8');
  try {
    await pg.transaction(async (transaction) => {
      await transaction.exec(statements);
      await transaction.query('insert into supabase_migrations.schema_migrations values ($1, $2, $3)', [
        version,
        [statements],
        name,
      ]);
    });
  } catch (error) {
    throw new StartError(`Migration ${file} failed and left nothing behind: ${(error as Error).message}`);
  }
}
