import { join } from 'node:path';
import { readPrivate, writePrivate } from './private-file.ts';
import { StartError } from './start-error.ts';

/** PostgreSQL 17 in PGlite 0.4: a folder of this engine can be opened by no other major version. */
const ENGINE = { engine: 'pglite', version: '0.4.5', postgres: 17 };

/**
 * Notes beside the data which engine wrote it.
 * @throws StartError when that was one whose files ours cannot read
 */
export async function recordEngine(data: string): Promise<void> {
  const path = join(data, 'engine.json');
  const before = ((await readPrivate(path)) ?? ENGINE) as typeof ENGINE;
  if (before.engine !== ENGINE.engine || before.postgres !== ENGINE.postgres) {
    throw new StartError(
      `${data} was written by ${before.engine} ${before.version} (PostgreSQL ${before.postgres}); this program reads ${ENGINE.engine} (PostgreSQL ${ENGINE.postgres}).`,
    );
  }
  await writePrivate(path, ENGINE);
}
