import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateFiles, withMigratedDatabase } from '../../../src/lib/cli/generate-types.ts';

test('what the site knows of its database is what the migrations say', async () => {
  for (const { path, text } of await withMigratedDatabase(generateFiles)) {
    expect(await readFile(path, 'utf8'), `${path}: run npm run types`).toBe(text);
  }
});
