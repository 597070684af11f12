import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';

/**
 * Shows `use` a new database on which every migration has run, and nothing else. The backend itself makes
 * it and stops, so there is one way to run a migration; then its files are opened to be read.
 */
export async function withMigratedDatabase<Result>(use: (pg: PGlite) => Promise<Result>): Promise<Result> {
  const data = await mkdtemp(join(tmpdir(), 'stoppress-types-'));
  try {
    await migrate(data);
    const pg = await PGlite.create(join(data, 'db'), { extensions: { pg_trgm, unaccent } });
    try {
      return await use(pg);
    } finally {
      await pg.close();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function migrate(data: string): Promise<void> {
  const backend = fork(resolve('supabase/embedded/main.ts'), {
    env: { STOPPRESS_DATA: data },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(backend, 'exit');
  await Promise.race([once(backend, 'message'), exited]);
  backend.kill('SIGTERM');
  const [code] = await exited;
  if (code !== 0) throw new Error('The backend did not start on a new folder, so there is nothing to read.');
}
