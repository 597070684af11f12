import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ArchivedCoverage, writeData } from '../../../src/lib/archive/data.server.ts';
import { makeRichCoverage, SECRETS, SLUG } from '../../support/archive-newsroom.ts';
import { serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';

const COMMAND = resolve('src/lib/commands/import.ts');

let backend: TestBackend;
/** A newsroom that has nothing. */
let other: TestBackend;
let folders: string;
let written: ArchivedCoverage;
const folder = (name: string) => join(folders, name);

beforeAll(async () => {
  [backend, other] = await Promise.all([startBackend(), startBackend()]);
  folders = await mkdtemp(join(tmpdir(), 'stoppress-coverages-'));
  await makeRichCoverage(backend);
  written = await writeData(serviceClient(backend), SLUG, folder('out'));
});
afterAll(async () => {
  await Promise.all([backend.stop(), other.stop()]);
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

type Ended = { code: number; out: string; errors: string };

async function run(into: TestBackend, ...args: string[]): Promise<Ended> {
  const env = { INIT_CWD: folders, STOPPRESS_DATA: into.data };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { env });
    return { code: 0, out: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, errors: stderr };
  }
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
  for (const word of ['Era el cuarto.', 'Un nombre.', 'No era verdad.']) expect(text).toContain(word);
});

test('it comes back without loss into a newsroom that has nothing', async () => {
  expect(await run(other, 'out')).toEqual({
    code: 0,
    out: `${SLUG} (ended): 9 updates and 1 photos, with their history.\n`,
    errors: '',
  });
  await writeData(serviceClient(other), SLUG, folder('again'));
  const [out, again] = await Promise.all([filesOf('out'), filesOf('again')]);
  expect(again).toEqual(out);
});

test('once more it changes nothing', async () => {
  expect(await run(other, 'out')).toEqual({
    code: 0,
    out: `${SLUG} (ended): all of it is here already. Nothing to do.\n`,
    errors: '',
  });
});
