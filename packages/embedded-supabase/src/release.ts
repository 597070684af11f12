import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { RELEASED, type ReleasedMigrations, release } from './released.ts';

/* Records which migrations the version of the first argument is released with. From then on they must not change. */

const [version = ''] = process.argv.slice(2);
const before = existsSync(RELEASED)
  ? (JSON.parse(await readFile(RELEASED, 'utf8')) as ReleasedMigrations)
  : {};
try {
  const after = await release(before, version, 'supabase/migrations');
  await writeFile(RELEASED, `${JSON.stringify(after, null, 2)}\n`);
  console.log(`${version}: ${Object.keys(after[version] ?? {}).length} migrations`);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
