import { writeFile } from 'node:fs/promises';
import { generateFiles } from './generated-files.ts';
import { withMigratedDatabase } from './migrated-database.ts';

for (const { path, text } of await withMigratedDatabase(generateFiles)) {
  await writeFile(path, text);
  console.log(path);
}
