import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateFiles, withMigratedDatabase } from '../../../src/lib/cli/generate-types.ts';

test('the generated types equal the migrated database', async () => {
  for (const { path, text } of await withMigratedDatabase(generateFiles)) {
    expect(await readFile(path, 'utf8'), `${path}: run npm run types`).toBe(text);
  }
});
