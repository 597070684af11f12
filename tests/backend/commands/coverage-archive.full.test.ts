import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import {
  type ExportedPhotos,
  readPublicCoverage,
  writeData,
} from '../../../src/lib/publishing/coverage-folder/data.server.ts';
import { readFolder } from '../../../src/lib/publishing/coverage-folder/read.ts';
import { importCoverage } from '../../../src/lib/publishing/coverage-folder/restore.server.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { call, createAccount } from '../../support/newsroom.ts';
import { createRichCoverage, SECRETS, SLUG } from '../../support/seeded-newsroom.ts';

/** Its canonical address on another site. */
const CANONICAL = 'https://paper.example/2026/rio';
const COMMAND = resolve('src/lib/cli/import.ts');

let backend: TestBackend;
/** An empty newsroom. */
let other: TestBackend;
/** Another empty newsroom. */
let empty: TestBackend;
let folders: string;
let written: ExportedPhotos;
const folder = (name: string) => join(folders, name);

beforeAll(async () => {
  [backend, other, empty] = await Promise.all([
    startBackend({ accessList: false }),
    startBackend({ accessList: false }),
    startBackend({ accessList: false }),
  ]);
  folders = await mkdtemp(join(tmpdir(), 'stoppress-coverages-'));
  await createRichCoverage(backend);
  const service = serviceClient(backend);
  const { coverage, photos } = await readPublicCoverage(service, SLUG);
  await call(service, 'set_lead_photo', { coverage_id: coverage.id, photo_id: photos[0]?.id });
  await call(service, 'set_canonical_url', { coverage_id: coverage.id, url: CANONICAL });
  written = await writeData(serviceClient(backend), SLUG, folder('out'));
});
afterAll(async () => {
  await Promise.all([backend.stop(), other.stop(), empty.stop()]);
  await rm(folders, { recursive: true, force: true });
});

/** Reads all files of a folder, by path. */
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

test('exports what readers may see, and nothing else', async () => {
  const files = await filesOf('out');
  expect(Object.keys(files).sort()).toEqual(
    [
      'data/changes.jsonl',
      'data/coverage.json',
      'data/updates.jsonl',
      ...written.flatMap(({ id }) => [`photos/${id}-480.webp`, `photos/${id}-960.webp`]),
    ].sort(),
  );
  expect(written).toMatchObject([{ widths: [480, 960] }]);
  const { coverage } = JSON.parse(files['data/coverage.json'] ?? '{}');
  expect(coverage).toMatchObject({ slug: SLUG, state: 'ended', update_count: 9, lead_photo: written[0]?.id });
  expect(coverage.canonical_url).toBe(CANONICAL);
  const text = Object.values(files).join('\n');
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  for (const word of ['Era el cuarto.', 'Un nombre.', 'No era verdad.']) expect(text).toContain(word);
});

/** Reads everything that a reader can read of a coverage. */
async function readersView(from: TestBackend) {
  const reader = anonClient(from);
  const { data: coverage } = await reader.from('coverages').select('id').eq('slug', SLUG).single();
  const rows = async (table: string, columns: string, ...order: string[]) => {
    let query = reader.from(table).select(columns).eq('coverage_id', coverage?.id);
    for (const by of order) query = query.order(by);
    const { data, error } = await query;
    if (error) throw new Error(`${table}: ${error.message}`);
    return data;
  };
  const searchResults = async (query: string) => (await reader.rpc('search', { filters: { query } })).data;
  return {
    updates: await rows('updates', READERS_COLUMNS, 'number'),
    history: await rows('update_history', '*', 'update_id', 'version'),
    notes: await rows('update_notes', '*', 'update_id', 'version'),
    changes: await rows('coverage_changes', '*', 'seq'),
    corrections: (await reader.rpc('list_corrections')).data,
    live: (
      await reader
        .from('coverages')
        .select('headline, state, seq, pinned_update, lead_photo, canonical_url, summary, topics(slug, name)')
        .eq('slug', SLUG)
        .single()
    ).data,
    renamed: (await reader.rpc('resolve_slug', { slug: 'el-rio-sube' })).data,
    searchResults: [
      await searchResults('escalones'),
      await searchResults('ارتفع'),
      await searchResults(SECRETS[4]),
      await searchResults('Ebro'),
    ],
  };
}

const READERS_COLUMNS =
  'id, number, state, headline, body, key_event, urgency, verification, attribution, dateline, occurred_at, published_at, ' +
  'revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq, ' +
  'update_bylines(position, people(id, handle, display_name, bio)), update_photos(position, photos!inner(id, renditions, alt))';

test('imports the folder without loss into an empty newsroom', async () => {
  expect(await run(other, 'out')).toEqual({
    code: 0,
    out: `${SLUG} (ended): 9 updates and 1 photos with their history.\n`,
    errors: '',
  });
  await writeData(serviceClient(other), SLUG, folder('again'));
  const [out, again] = await Promise.all([filesOf('out'), filesOf('again')]);
  expect(again).toEqual(out);
  const view = await readersView(other);
  expect(view).toEqual(await readersView(backend));
  expect(view.history).toHaveLength(13);
  expect(view.corrections).toHaveLength(5);
  expect(view.searchResults[0]).toMatchObject({ total: 1 });
});

test('changes nothing when the import is repeated', async () => {
  expect(await run(other, 'out')).toEqual({
    code: 0,
    out: `${SLUG} (ended): everything was imported before.\n`,
    errors: '',
  });
});

type Spoil = (path: string) => Promise<unknown>;

const edit = (name: string, mend: (text: string) => string | Buffer) => async (path: string) => {
  const file = join(path, name);
  await writeFile(file, mend(await readFile(file, 'utf8')));
};
const COVERAGE = 'data/coverage.json';
const UPDATES = 'data/updates.jsonl';
const print = () => `photos/${written[0]?.id}-480.webp`;

const SPOILED: [string, Spoil, RegExp][] = [
  ['no coverage', (path) => rm(join(path, COVERAGE)), /^data\/coverage.json is missing/],
  ['a file of something else', edit(COVERAGE, () => '{"format":1}\n'), /coverage.json: version is missing/],
  [
    'a newer format',
    edit(COVERAGE, (text) => text.replace('"version": 1', '"version": 2')),
    /only version 1/,
  ],
  [
    'a byte order mark',
    edit(UPDATES, (text) => `\uFEFF${text}`),
    /updates.jsonl begins with a byte order mark/,
  ],
  [
    'ends of lines of Windows',
    edit(UPDATES, (text) => text.replaceAll('\n', '\r\n')),
    /line 1: it ends with a carriage/,
  ],
  [
    'a file that breaks off',
    edit(UPDATES, (text) => text.slice(0, -40)),
    /updates.jsonl is cut off in line 9/,
  ],
  ['a line left out', edit(UPDATES, (text) => text.replace(/^.*\n/, '')), /line 1: its number must be 1/],
  [
    'the last line left out',
    edit(UPDATES, (text) => text.replace(/.*\n$/, '')),
    /must contain the 9 updates/,
  ],
  ['what is not UTF-8', edit(UPDATES, () => Buffer.from([0x7b, 0xff, 0x0a])), /is not UTF-8/],
  ['a line without an end', edit(UPDATES, () => 'x'.repeat(17 * 1024 * 1024)), /line 1: it is too long/],
  [
    'a stray field',
    edit(UPDATES, (text) => text.replace('{"number":1', '{"html":"<b>","number":1')),
    /html is not a known field/,
  ],
  [
    'a photo elsewhere',
    edit(COVERAGE, (text) => text.replaceAll(written[0]?.id ?? '', '../../../../etc/passwd')),
    /the id of a photo must be a UUID/,
  ],
  ['a photo that is missing', (path) => rm(join(path, print())), /^photos\/.*-480.webp is missing/],
  [
    'a link for a photo',
    async (path) => {
      await rename(join(path, print()), join(path, 'elsewhere.webp'));
      await symlink('../elsewhere.webp', join(path, print()));
    },
    /-480.webp must be a file inside the folder/,
  ],
  [
    'a link for its data',
    async (path) => {
      await rename(join(path, 'data'), join(path, 'elsewhere'));
      await symlink('elsewhere', join(path, 'data'));
    },
    /must be a file inside the folder/,
  ],
  [
    'another picture of the same length',
    async (path) =>
      writeFile(join(path, print()), Buffer.alloc((await readFile(join(path, print()))).length, 'RIFF')),
    /must be a WebP image of 480 × 300 pixels/,
  ],
  [
    'a picture with something behind it',
    async (path) => {
      const bytes = await readFile(join(path, print()));
      await writeFile(join(path, print()), Buffer.concat([bytes, Buffer.from('<script>')]));
    },
    /must have [\d,]+ bytes/,
  ],
  [
    'what the database refuses',
    edit(UPDATES, (text) => text.replace('Era el cuarto.', 'x'.repeat(501))),
    /^Update 1: note: Tell readers/,
  ],
];

test('refuses a changed folder with the reason, and leaves nothing', {
  timeout: 240_000,
}, async () => {
  await cp(folder('out'), folder('spoiled'), { recursive: true });
  for (const [what, spoil, said] of SPOILED) {
    await rm(folder('spoiled'), { recursive: true });
    await cp(folder('out'), folder('spoiled'), { recursive: true });
    await spoil(folder('spoiled'));
    const read = readFolder(folder('spoiled')).then((data) => importCoverage(serviceClient(empty), data));
    await expect(read, what).rejects.toThrow(said);
  }
  const service = serviceClient(empty);
  for (const table of ['coverages', 'people', 'photos', 'topics', 'coverage_slugs'] as const) {
    expect((await service.from(table).select('*', { count: 'exact', head: true })).count, table).toBe(0);
  }
  expect((await run(empty, 'spoiled')).errors).toMatch(/^Update 1: note: .*\nNothing was imported\.\n$/);
  expect((await run(empty, 'out', '--state', 'live')).errors).toMatch(/^--state/);
});

test('reports bylines of people who exist already', async () => {
  const { id } = await createAccount({ service: serviceClient(empty) });
  await call(serviceClient(empty), 'set_role', { person_id: id, role: 'reporter' });
  await cp(folder('out'), folder('ours'), { recursive: true });
  const head = JSON.parse(await readFile(join(folder('ours'), 'data/coverage.json'), 'utf8'));
  for (const file of ['data/coverage.json', 'data/updates.jsonl']) {
    const said = await readFile(join(folder('ours'), file), 'utf8');
    await writeFile(join(folder('ours'), file), said.replaceAll(head.people[0].id, id));
  }
  const ended = await run(empty, 'ours');
  expect(ended.errors).toBe('');
  expect(ended.out).toContain('with bylines of your own staff: Reader.');
});

test('refuses a coverage that has changed since', async () => {
  const service = serviceClient(other);
  const { data } = await service.from('coverages').select('id').eq('slug', SLUG).single();
  await service.rpc('import_state', {
    coverage_id: data?.id,
    state: 'archived',
    at: new Date().toISOString(),
  });
  const ended = await run(other, 'out');
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.errors).toMatch(
    /^Not imported: This coverage exists here with newer changes: change 23, where the folder has 22/,
  );
});

const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');

/** Needs more than two calls for export and import. */
const SAID = 2 * LIMITS.export_updates + 20;

test.runIf(existsSync(TRANSCRIPT))('exports and imports the transcript of Apollo 11', async () => {
  const feed = JSON.parse(await readFile(TRANSCRIPT, 'utf8')) as { items: object[] };
  await writeFile(folder('apollo.json'), JSON.stringify({ ...feed, items: feed.items.slice(-SAID) }));
  expect((await run(backend, 'apollo.json', '--slug', 'apollo-11', '--state', 'ended')).code).toBe(0);
  await writeData(serviceClient(backend), 'apollo-11', folder('apollo'));
  const { 'data/updates.jsonl': lines = '' } = await filesOf('apollo');
  expect(lines.trimEnd().split('\n')).toHaveLength(SAID);
  expect(await run(empty, 'apollo')).toMatchObject({ code: 0, errors: '' });
  await writeData(serviceClient(empty), 'apollo-11', folder('apollo-again'));
  expect(await filesOf('apollo-again')).toEqual(await filesOf('apollo'));
});
