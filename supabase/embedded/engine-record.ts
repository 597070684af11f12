import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

/** PostgreSQL 17 in PGlite 0.4: a folder of this engine can be opened by no other major version. */
const ENGINE = { engine: 'pglite', version: '0.4.5', postgres: 17 };

/**
 * Notes beside the data which engine wrote it.
 * @throws StartError when that was one whose files ours cannot read
 */
export async function recordEngine(data: string): Promise<void> {
  const path = join(data, 'engine.json');
  const noted = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const before = noted === undefined ? ENGINE : (JSON.parse(noted) as typeof ENGINE);
  if (before.engine !== ENGINE.engine || before.postgres !== ENGINE.postgres) {
    throw new StartError(
      `${data} was written by ${before.engine} ${before.version} (PostgreSQL ${before.postgres}); this program reads ${ENGINE.engine} (PostgreSQL ${ENGINE.postgres}).`,
    );
  }
  await writeFile(path, `${JSON.stringify(ENGINE)}\n`);
}
