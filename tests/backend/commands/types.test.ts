import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateFiles } from '../../../src/lib/commands/generated-files.ts';
import { withMigratedDatabase } from '../../../src/lib/commands/migrated-database.ts';

test('what the site knows of its database is what the migrations say', async () => {
  for (const { path, text } of await withMigratedDatabase(generateFiles)) {
    expect(await readFile(path, 'utf8'), `${path}: run npm run types`).toBe(text);
  }
});
