import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { expect, onTestFinished, test } from 'vitest';
import { generateFiles } from '../../../src/lib/cli/generate-types.ts';
import { newDataFolder, removeData } from '../../support/data-folders.ts';

test('the generated types equal the migrated database', async () => {
  const data = await newDataFolder();
  onTestFinished(() => removeData(data));
  const database = await PGlite.create(join(data, 'db'), { extensions: { pg_trgm, unaccent } });
  onTestFinished(() => database.close());
  for (const { path, text } of await generateFiles(database)) {
    expect(await readFile(path, 'utf8'), `${path}: run npm run types`).toBe(text);
  }
});
