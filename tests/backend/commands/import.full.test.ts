import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { dataEnvironment, newDataFolder, removeData, siteSettings } from '../../support/data-folders.ts';
import { post, type WpEntry, wxr } from '../../support/wxr.ts';

const COMMAND = resolve('src/lib/cli/import.ts');

let backend: TestBackend;
let files: string;
beforeAll(async () => {
  backend = await startBackend();
  files = await mkdtemp(join(tmpdir(), 'stoppress-feeds-'));
});
afterAll(async () => {
  await backend.stop();
  await rm(files, { recursive: true, force: true });
});

type Ended = { code: number; out: string; errors: string };

/** Runs the command as npm does, from the folder of the feeds. */
async function run(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { INIT_CWD: files, STOPPRESS_DATA: backend.data, ...environment };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { env });
    return { code: 0, out: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, errors: stderr };
  }
}

type FeedItem = Record<string, unknown>;

/** An item of the n-th minute of a day. */
const item = (n: number, more: FeedItem = {}): FeedItem => ({
  id: `item-${n}`,
  date_published: new Date(Date.UTC(1999, 0, 1, 0, n)).toISOString(),
  content_text: `What happened at ${n}.\n\nAnd what it meant.`,
  ...more,
});

async function feed(name: string, items: FeedItem[], more: FeedItem = {}): Promise<string> {
  const file = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'A day',
    language: 'en',
    items,
    ...more,
  };
  await writeFile(join(files, name), JSON.stringify(file));
  return name;
}

async function coverage(slug: string) {
  const client = anonClient(backend);
  const { data } = await client
    .from('coverages')
    .select('id, headline, state, seq, update_count, published_at, ended_at')
    .eq('slug', slug)
    .maybeSingle();
  if (!data) return null;
  const { data: updates } = await client
    .from('updates')
    .select('id, number, headline, key_event, attribution, published_at')
    .eq('coverage_id', data.id)
    .order('number');
  return { ...data, updates: updates ?? [] };
}

test('imports a JSON Feed as a coverage, numbered by time, with times and key events', async () => {
  const items = [
    item(2, { title: 'Later', tags: ['key-event'], authors: [{ name: 'CDR' }, { name: 'CC' }] }),
    item(0),
    item(1),
  ];
  const ended = await run([await feed('day.json', items), '--slug', 'a-day', '--state', 'ended']);
  expect(ended).toEqual({ code: 0, out: 'a-day (ended): 3 added, 0 unchanged, 0 refused.\n', errors: '' });

  const made = await coverage('a-day');
  expect(made).toMatchObject({
    headline: 'A day',
    state: 'ended',
    update_count: 3,
    published_at: '1999-01-01T00:00:00+00:00',
    ended_at: '1999-01-01T00:02:00+00:00',
  });
  expect(made?.updates.map(({ number, published_at }) => [number, published_at])).toEqual([
    [1, '1999-01-01T00:00:00+00:00'],
    [2, '1999-01-01T00:01:00+00:00'],
    [3, '1999-01-01T00:02:00+00:00'],
  ]);
  expect(made?.updates[2]).toMatchObject({ headline: 'Later', key_event: true, attribution: 'CDR, CC' });
});

test('changes nothing in a second run, appends later items and reports older ones', async () => {
  const items = [item(10), item(11)];
  const first = await feed('growing.json', items);
  await run([first, '--slug', 'growing', '--state', 'ended']);
  const before = await coverage('growing');

  expect((await run([first, '--slug', 'growing', '--state', 'ended'])).out).toBe(
    'growing (ended): 0 added, 2 unchanged, 0 refused.\n',
  );
  expect(await coverage('growing')).toEqual(before);

  const more = await feed('growing.json', [...items, item(5), item(12)]);
  const { code, out } = await run([more, '--slug', 'growing']);
  expect(code).toBe(0);
  expect(out).toContain('item-5  1999-01-01T00:05:00.000Z');
  expect(out).toContain('growing (ended): 1 added, 2 unchanged, 1 refused.');
  expect((await coverage('growing'))?.updates.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('makes the slug from the title by default, and the coverage live', async () => {
  const name = await feed('storm.json', [item(0)], { title: 'Störm over Ost-End' });
  expect((await run([name])).out).toContain('storm-over-ost-end (live): 1 added');
});

test('imports an Atom feed under any file name', async () => {
  const entry = (n: number, content: string) =>
    `<entry><id>tag:${n}</id><title>Entry ${n}</title><updated>1999-01-01T00:0${n}:00Z</updated>${content}</entry>`;
  const html =
    '<content type="html"><![CDATA[<p>One <b>thing</b></p><ul><li>two</li></ul><blockquote>three</blockquote>]]></content>';
  const entries =
    entry(2, '<category term="key-event"/><author><name>CDR</name></author><content>Later.</content>') +
    entry(1, html);
  const file = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>A day in Atom</title>${entries}</feed>`;
  await writeFile(join(files, 'atom.json'), file);

  expect((await run(['atom.json', '--state', 'ended'])).out).toBe(
    'a-day-in-atom (ended): 2 added, 0 unchanged, 0 refused.\n',
  );
  expect((await run(['atom.json'])).out).toContain('0 added, 2 unchanged');
  expect((await coverage('a-day-in-atom'))?.updates).toMatchObject([
    { number: 1, headline: 'Entry 1', key_event: false, published_at: '1999-01-01T00:01:00+00:00' },
    { number: 2, headline: 'Entry 2', key_event: true, attribution: 'CDR' },
  ]);
  const [first] = (await coverage('a-day-in-atom'))?.updates ?? [];
  const { data } = await anonClient(backend).from('updates').select('body').eq('id', first?.id).single();
  expect(data?.body).toEqual([
    { type: 'paragraph', runs: [{ text: 'One ' }, { text: 'thing', bold: true }] },
    { type: 'list', items: [[{ text: 'two' }]] },
    { type: 'quote', text: 'three' },
  ]);

  await writeFile(join(files, 'bad.atom'), file.replace('<updated>1999-01-01T00:01:00Z</updated>', ''));
  expect(await run(['bad.atom', '--slug', 'never'])).toMatchObject({
    code: 1,
    out: '',
    errors: expect.stringMatching(/^Item 1 \(tag:1\): .*updated.*\nNothing/),
  });
});

test('imports each liveblog of a WordPress export completely or not at all, and continues it later', async () => {
  const liveblog = (id: number, name: string, state: string, entries: WpEntry[]) =>
    post({ id, name, title: `About ${name}`, meta: { liveblog: state }, entries });
  const storm: WpEntry[] = [
    { id: 1, content: 'One <b>thing</b>' },
    { id: 2, content: 'First thought' },
    { id: 3, content: 'Second thought', meta: { liveblog_replaces: '2', liveblog_key_entry: 'true' } },
    { id: 4, content: '', meta: { liveblog_replaces: '99' } },
  ];
  const match = liveblog(20, 'the-match', 'enable', [{ id: 30, content: 'Kick-off', author: 'Ben Ford' }]);
  const wrong = liveblog(21, 'never', 'archive', [
    { id: 40, content: 'x'.repeat(10_001) },
    { id: 41, content: 'y' },
  ]);
  const file = join(files, 'wordpress.xml');
  await writeFile(file, wxr(liveblog(10, 'the-storm', 'archive', storm), wrong, match));

  const first = await run(['wordpress.xml']);
  expect(first).toMatchObject({
    code: 1,
    out: 'the-storm (ended): 2 added, 0 unchanged, 0 refused.\n  1 deleted entries not imported.\nthe-match (live): 1 added, 0 unchanged, 0 refused.\n',
    errors: expect.stringMatching(
      /^“About never” was not imported:\nItem 0 \(https:\/\/old\.example\/\?p=21#40\): content: .*\n$/,
    ),
  });
  expect(await coverage('never')).toBeNull();
  expect(await coverage('the-storm')).toMatchObject({
    headline: 'About the-storm',
    state: 'ended',
    published_at: '2015-01-10T12:01:00+00:00',
    ended_at: '2015-01-10T12:02:00+00:00',
    updates: [
      { number: 1, key_event: false, attribution: 'Ada Marsh' },
      { number: 2, key_event: true, published_at: '2015-01-10T12:02:00+00:00' },
    ],
  });

  await writeFile(
    file,
    wxr(liveblog(10, 'the-storm', 'archive', [...storm, { id: 9, content: 'Late' }]), match),
  );
  expect(await run(['wordpress.xml', '--slug', 'the-storm'])).toEqual({
    code: 0,
    out: 'the-storm (ended): 1 added, 2 unchanged, 0 refused.\n  1 deleted entries not imported.\n',
    errors: '',
  });
  expect((await run(['wordpress.xml', '--slug', 'nowhere'])).errors).toContain(
    'It contains: the-storm, the-match',
  );

  await writeFile(file, wxr(post({ id: 1, entries: [] })));
  expect(await run(['wordpress.xml'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('Liveblog'),
  });
});

test('refuses an invalid file as a whole, and names the mistakes', async () => {
  const long = `${'x'.repeat(6_000)}\n\n${'x'.repeat(6_000)}`;
  const byUs = await feed('bad.json', [item(0), item(1, { date_published: '1999-01-01' }), item(0)]);
  const refused = await run([byUs, '--slug', 'never']);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.errors).toMatch(
    /^Item 1 \(item-1\): .*date_published.*\nItem 2 \(item-0\): .*item 0.*\nNothing/,
  );

  const byTheDatabase = await feed('bad.json', [item(0), item(1, { content_text: long })]);
  expect(await run([byTheDatabase, '--slug', 'never'])).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^Item 1 \(item-1\): content: .*characters.*\nNothing/),
  });

  const badTitle = await feed('bad.json', [item(0)], { title: 't'.repeat(121) });
  expect((await run([badTitle, '--slug', 'never'])).errors).toMatch(/^Not imported: title: .*120 characters/);
  expect(await coverage('never')).toBeNull();
});

test('refuses a state that cannot be reached', async () => {
  const name = await feed('put-away.json', [item(0)]);
  await run([name, '--slug', 'put-away', '--state', 'ended']);
  const made = await coverage('put-away');
  const service = serviceClient(backend);
  const archived = { coverage_id: made?.id, state: 'archived', at: '2000-01-01T00:00:00Z' };
  expect((await service.rpc('import_state', archived)).error).toBeNull();
  const { code, errors } = await run([name, '--slug', 'put-away', '--state', 'live']);
  expect(code).toBe(1);
  expect(errors).toContain('from archived to live');
});

test.each([
  [[], 'npm run import'],
  [['a.json', 'b.json'], 'npm run import'],
  [['a.json', '--colour', 'red'], 'npm run import'],
  [['a.json', '--state', 'draft'], '--state'],
  [['nowhere.json'], 'nowhere.json'],
])('shows its usage when called with %j', async (args, hint) => {
  const { code, errors } = await run(args);
  expect(code).toBe(1);
  expect(errors).toContain(hint);
  expect(errors.split('\n')).toHaveLength(2);
});

test('starts the backend for the command if no newsroom runs', async () => {
  const data = await newDataFolder();
  try {
    const name = await feed('alone.json', [item(0)]);
    expect(await run([name, '--slug', 'alone'], siteSettings(dataEnvironment(data)))).toMatchObject({
      code: 0,
      errors: '',
    });
    // The folder is unlocked and contains the import.
    const again = await startBackend({ data });
    const { data: updates } = await anonClient(again).from('updates').select('number');
    expect(updates).toEqual([{ number: 1 }]);
    await again.stop();
  } finally {
    await removeData(data);
  }
});

test('imports a long feed in batches, once', async () => {
  const items = Array.from({ length: 1383 }, (_, n) => item(n, n % 77 === 0 ? { tags: ['key-event'] } : {}));
  const name = await feed('long.json', items.toReversed());
  expect((await run([name, '--slug', 'long', '--state', 'ended'])).out).toContain('1383 added, 0 unchanged');
  expect((await run([name, '--slug', 'long', '--state', 'ended'])).out).toContain('0 added, 1383 unchanged');
  const { data } = await serviceClient(backend)
    .from('coverages')
    .select('seq, update_count')
    .eq('slug', 'long')
    .single();
  // One change for each update, one for going live and one for the end.
  expect(data).toEqual({ update_count: 1383, seq: 1385 });
});
