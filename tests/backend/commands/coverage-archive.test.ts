import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ArchivedCoverage, writeData } from '../../../src/lib/archive/data.server.ts';
import { makeRichCoverage, SECRETS, SLUG } from '../../support/archive-newsroom.ts';
import { serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';

let backend: TestBackend;
let folders: string;
let written: ArchivedCoverage;
const folder = (name: string) => join(folders, name);

beforeAll(async () => {
  backend = await startBackend();
  folders = await mkdtemp(join(tmpdir(), 'stoppress-coverages-'));
  await makeRichCoverage(backend);
  written = await writeData(serviceClient(backend), SLUG, folder('out'));
});
afterAll(async () => {
  await backend.stop();
  await rm(folders, { recursive: true, force: true });
});

/** Every file of a folder by its path. */
async function filesOf(name: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const entries = await readdir(folder(name), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[path.slice(folder(name).length + 1)] = (await readFile(path)).toString('latin1');
  }
  return files;
}

test('what leaves is what readers may see, and nothing else', async () => {
  const files = await filesOf('out');
  expect(Object.keys(files).sort()).toEqual(
    [
      'data/changes.jsonl',
      'data/coverage.json',
      'data/updates.jsonl',
      ...written.photos.flatMap(({ id }) => [`photos/${id}-480.webp`, `photos/${id}-960.webp`]),
    ].sort(),
  );
  expect(written).toMatchObject({ slug: SLUG, state: 'ended', count: 9, photos: [{ widths: [480, 960] }] });
  const text = Object.values(files).join('\n');
  for (const secret of SECRETS) expect(text).not.toContain(secret);
});
