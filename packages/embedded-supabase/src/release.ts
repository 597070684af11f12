import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import program from '../../../package.json' with { type: 'json' };
import { RELEASED, type Released, release } from './released.ts';

/* npm run release: writes down which migrations the version of package.json is released with. From then on they stand. */

const before = existsSync(RELEASED) ? (JSON.parse(await readFile(RELEASED, 'utf8')) as Released) : {};
try {
  const after = await release(before, program.version, 'supabase/migrations');
  await writeFile(RELEASED, `${JSON.stringify(after, null, 2)}\n`);
  console.log(`${program.version}: ${Object.keys(after[program.version] ?? {}).length} migrations`);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
