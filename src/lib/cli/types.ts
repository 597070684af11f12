import { writeFile } from 'node:fs/promises';
import { generateFiles, withMigratedDatabase } from './generate-types.ts';

for (const { path, text } of await withMigratedDatabase(generateFiles)) {
  await writeFile(path, text);
  console.log(path);
}
