import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, type Header, pack } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ARCHIVE_FORMAT_VERSION,
  type Manifest,
  packArchive,
  readArchive,
} from '../../../../packages/embedded-supabase/src/backup/archive.ts';

const manifest: Manifest = {
  format: ARCHIVE_FORMAT_VERSION,
  program: '1.2.3',
  madeAt: '2026-11-21T04:15:00.000Z',
  engine: { kind: 'pglite', version: '17.5' },
  migrations: ['20260101000000'],
  tables: [{ table: 'public.notes', columns: ['id', 'body'], rows: 2 }],
  sequences: [{ sequence: 'public.notes_id_seq', value: '2', used: true }],
};
const ROWS = '1\tone\n2\ttwo\n';

let folder: string;
let whole: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-archive-'));
  await writeFile(join(folder, 'rows'), ROWS);
  await writeFile(join(folder, 'photo'), Buffer.alloc(200_000, 'photo'));
  const path = join(folder, 'whole.tar.gz');
  await write(path, [
    { part: 'data/public.notes.copy', path: join(folder, 'rows') },
    { part: 'files/a/photo', path: join(folder, 'photo') },
  ]);
  whole = await readFile(path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = (path: string, sources: Parameters<typeof packArchive>[1]) =>
  pipeline(packArchive(manifest, sources), createWriteStream(path));

type Entry = { header: Partial<Header> & Pick<Header, 'name'>; content: Buffer };

async function entriesOf(zipped: Buffer): Promise<Entry[]> {
  const tar = extract();
  tar.end(gunzipSync(zipped));
  const entries: Entry[] = [];
  for await (const entry of tar) {
    const content = await buffer(entry as AsyncIterable<Buffer>);
    entries.push({ header: { name: entry.header.name, type: entry.header.type }, content });
  }
  return entries;
}

async function packed(entries: Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { header, content } of entries) tar.entry({ ...header }, content);
  tar.finalize();
  return gzipSync(await buffer(tar as AsyncIterable<Buffer>));
}

/** The archive with changed entries and correct checksums. */
async function forged(change: (entries: Entry[]) => void): Promise<Buffer> {
  const entries = (await entriesOf(whole)).slice(0, -1);
  change(entries);
  const sums = entries.map(({ header, content }) => {
    const sum = createHash('sha256').update(content).digest('hex');
    return `${sum}  ${header.name}\n`;
  });
  return packed([...entries, { header: { name: 'SHA256SUMS' }, content: Buffer.from(sums.join('')) }]);
}

const entry = (name: string, content = 'x', type: Header['type'] = 'file'): Entry => ({
  header: { name, type },
  content: Buffer.from(content),
});

/** Reads and unpacks an archive. @returns the error message, or `It was read.` */
async function refusal(bytes: Buffer): Promise<string> {
  const path = join(folder, 'tried.tar.gz');
  const unpacked = join(folder, 'unpacked/here');
  await writeFile(path, bytes);
  await mkdir(unpacked, { recursive: true });
  try {
    await readArchive(path, unpacked);
    return 'It was read.';
  } catch (error) {
    return (error as Error).message;
  } finally {
    expect(await readdir(join(folder, 'unpacked'))).toEqual(['here']);
    await rm(join(folder, 'unpacked'), { recursive: true });
  }
}

const DAMAGED = 'This file is damaged or not a backup of Stoppress. Choose another one.';

test('is read as it was written', async () => {
  expect(await refusal(whole)).toBe('It was read.');
  expect(await refusal(await forged(() => {}))).toBe('It was read.');
  const path = join(folder, 'whole.tar.gz');
  const out = join(folder, 'out');
  expect(await readArchive(path, out)).toEqual({ manifest, files: 1, bytes: whole.length });
  expect(await readFile(join(out, 'data/public.notes.copy'), 'utf8')).toBe(ROWS);
  expect(await readFile(join(out, 'files/a/photo'))).toEqual(await readFile(join(folder, 'photo')));
});

test('detects every changed and every missing byte', async () => {
  const step = Math.max(1, Math.floor(whole.length / 40));
  for (let at = 10; at < whole.length; at += step) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    expect(await refusal(changed), `byte ${at}`).not.toBe('It was read.');
    expect(await refusal(whole.subarray(0, at)), `${at} bytes`).toBe(DAMAGED);
  }
});

test.each<[what: string, damage: (entries: Entry[]) => Entry[]]>([
  [
    'rows that changed',
    (all) => all.map((one) => ({ ...one, content: swap(one.content, '2\ttwo', '2\ttwX') })),
  ],
  [
    'a manifest that changed',
    (all) => all.map((one) => ({ ...one, content: swap(one.content, '1.2.3', '1.2.4') })),
  ],
  ['a part that is missing', (all) => all.filter(({ header }) => header.name !== 'files/a/photo')],
  ['a part too many', (all) => all.toSpliced(1, 0, entry('files/b'))],
  ['a part twice', (all) => all.toSpliced(1, 0, all[1] as Entry)],
  ['no checksums', (all) => all.slice(0, -1)],
  ['something after the checksums', (all) => [...all, entry('files/b')]],
])('refuses a complete archive with %s', async (_, damage) => {
  expect(await refusal(await packed(damage(await entriesOf(whole))))).toBe(DAMAGED);
});

const swap = (content: Buffer, from: string, to: string) =>
  content.includes(from) ? Buffer.from(content.toString().replace(from, to)) : content;

test.each([
  ['../outside'],
  ['files/../../outside'],
  ['/tmp/outside'],
  ['files//outside'],
  ['files/./outside'],
  ['files/a\\..\\outside'],
  ['files/new\nline'],
  ['elsewhere/outside'],
  ['data'],
])('refuses an entry called %j, with correct checksums too', async (name) => {
  expect(await refusal(await forged((all) => all.push(entry(name))))).toBe(DAMAGED);
});

test.each<NonNullable<Header['type']>>(['symlink', 'link', 'directory', 'fifo', 'character-device'])(
  'a %s is refused',
  async (type) => {
    const bytes = await forged((all) => {
      all.push({ header: { name: 'files/link', type, linkname: '/etc/passwd' }, content: Buffer.alloc(0) });
    });
    expect(await refusal(bytes)).toBe(DAMAGED);
  },
);

test('refuses an archive without a table that the manifest names', async () => {
  const bytes = await forged((all) => void all.splice(1, 1));
  expect(await refusal(bytes)).toBe(DAMAGED);
});

const NOT_OURS = 'This file is not a backup of Stoppress.';

test.each([
  ['other files in it', [entry('readme.txt')], NOT_OURS],
  ['nothing in it', [], NOT_OURS],
  ['a manifest that is no JSON', [entry('manifest.json', '{')], NOT_OURS],
  ['a manifest of something else', [entry('manifest.json', '{"format": 1, "tables": []}')], NOT_OURS],
  [
    'a manifest of a later form',
    [entry('manifest.json', '{"format": 2, "program": "9.0.0"}')],
    'This backup was made by a newer program (9.0.0): restore it with that version, or a later one.',
  ],
])('refuses an archive with %s, and says so', async (_, entries, sentence) => {
  expect(await refusal(await packed(entries))).toBe(sentence);
});

test.each([
  ['text', Buffer.from('Dear editor,')],
  ['nothing', Buffer.alloc(0)],
])('refuses a file of %s', async (_, bytes) => {
  expect(await refusal(bytes)).toBe(DAMAGED);
});

test('refuses a missing file and a folder', async () => {
  await expect(readArchive(join(folder, 'none'))).rejects.toThrow(`There is no ${join(folder, 'none')}.`);
  await expect(readArchive(folder)).rejects.toThrow(DAMAGED);
});

test('fails if a source cannot be read completely', async () => {
  await symlink(folder, join(folder, 'loop'));
  const sources = [{ part: 'data/public.notes.copy', path: join(folder, 'loop') }];
  await expect(write(join(folder, 'half.tar.gz'), sources)).rejects.toThrow();
});

test('leaves a deleted source out, and detects it if the manifest names it', async () => {
  const path = join(folder, 'without.tar.gz');
  await write(path, [
    { part: 'data/public.notes.copy', path: join(folder, 'rows') },
    { part: 'files/gone', path: join(folder, 'gone') },
  ]);
  expect(await readArchive(path)).toMatchObject({ files: 0 });
  await write(path, [{ part: 'data/public.notes.copy', path: join(folder, 'gone') }]);
  await expect(readArchive(path)).rejects.toThrow(DAMAGED);
});
