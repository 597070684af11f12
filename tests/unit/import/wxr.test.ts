import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BadFeed } from '../../../src/lib/cli/import/read-feed.ts';
import { type Liveblog, liveblogsIn } from '../../../src/lib/cli/import/wordpress.ts';
import { isWxr } from '../../../src/lib/cli/import/wxr.ts';
import { bodyText } from '../../../src/lib/domain/body/blocks.ts';
import { cdata, post, term, type WpEntry, type WpPost, wxr } from '../../support/wxr.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-wxr-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function read(text: string, hidden: string[] = []) {
  const path = join(folder, `${files++}.xml`);
  await writeFile(path, text);
  const all: Liveblog[] = [];
  for await (const one of liveblogsIn(path, hidden)) all.push(one);
  return all;
}

/** The only liveblog of a file with these entries. */
async function liveblog(...entries: WpEntry[]) {
  const [one] = await read(wxr(post({ id: 7, meta: { liveblog: 'archive' }, entries })));
  if (!one) throw new Error('The export contains a liveblog.');
  return one;
}

const linesOf = ({ feed }: Awaited<ReturnType<typeof liveblog>>) =>
  feed.items.map(({ body, publishedAt }) => `${publishedAt.toISOString().slice(11, 16)} ${bodyText(body)}`);

async function mistakesIn(text: string): Promise<string[]> {
  try {
    await read(text);
  } catch (error) {
    if (error instanceof BadFeed) return error.mistakes;
    throw error;
  }
  return [];
}

const replaces = (id: number) => ({ liveblog_replaces: String(id) });

test('imports a post with entries as a coverage with title, excerpt, slug, language and entries by time', async () => {
  const [one, ...more] = await read(
    wxr(
      post({
        id: 1,
        content: 'An ordinary post.',
        entries: [{ id: 1, content: 'A comment', type: '', approved: '1' }],
      }),
      post({
        id: 2,
        title: 'Storm &amp; <em>flood</em>',
        name: 'storm-and-flood',
        excerpt: 'What it <b>did</b>.\nAll of it.',
        meta: { liveblog: 'enable' },
        entries: [
          // The next day, before breakfast.
          { id: 11, content: 'Later 🌊.', at: '2015-01-11 00:12:00', author: 'Ben Ford' },
          { id: 12, content: 'First.', at: '2015-01-10 12:12:00' },
          { id: 13, content: 'A reader says so', type: 'comment', approved: '1' },
        ],
      }),
      post({ id: 3, type: 'attachment', parent: 2 }),
    ),
  );
  expect(more).toEqual([]);
  expect(one).toMatchObject({
    title: 'Storm & flood',
    slug: 'storm-and-flood',
    isOver: false,
    mistakes: [],
    hasOwnText: false,
    feed: { title: 'Storm & flood', description: 'What it did. All of it.', language: 'en-GB' },
  });
  expect(one?.feed.items).toEqual([
    expect.objectContaining({
      id: 'https://old.example/?p=2#12',
      authors: ['Ada Marsh'],
      publishedAt: new Date('2015-01-10T12:12:00Z'),
    }),
    expect.objectContaining({
      id: 'https://old.example/?p=2#11',
      authors: ['Ben Ford'],
      body: [{ type: 'paragraph', runs: [{ text: 'Later 🌊.' }] }],
      publishedAt: new Date('2015-01-11T00:12:00Z'),
    }),
  ]);
});

describe('changes in WordPress', () => {
  test('the newest version of an entry appears at the time of the first, through any chain', async () => {
    const one = await liveblog(
      { id: 1, content: 'One.' },
      { id: 2, content: 'Two, to be changed.' },
      { id: 3, content: 'Two, changed.', meta: replaces(2) },
      { id: 10, content: 'Two, changed again.', meta: replaces(2) },
      { id: 20, content: 'Three.' },
      { id: 21, content: 'Three, changed.', meta: replaces(20) },
      { id: 22, content: 'Three, from there on.', meta: replaces(21) },
    );
    expect(linesOf(one)).toEqual(['12:01 One.', '12:02 Two, changed again.', '12:20 Three, from there on.']);
    expect(one.feed.items.map(({ id }) => id.split('#')[1])).toEqual(['1', '2', '20']);
  });

  test('deleted entries are left out with all their versions', async () => {
    const one = await liveblog(
      { id: 1, content: 'Stays.' },
      { id: 2, content: 'Thrown away.', approved: 'trash' },
      { id: 3, content: '', meta: replaces(2) },
      // The file does not contain its first version.
      { id: 5, content: 'Changed, then deleted.', meta: replaces(4) },
      { id: 6, content: '', meta: replaces(4) },
      { id: 7, content: '  ' },
    );
    expect(linesOf(one)).toEqual(['12:01 Stays.']);
    expect(one).toMatchObject({ deleted: 2, wordless: 1, mistakes: [] });
  });

  test('a version without the first one appears at the time of the oldest one', async () => {
    const one = await liveblog(
      { id: 9, content: 'Changed twice.', meta: replaces(4) },
      { id: 5, content: 'Changed.', meta: replaces(4), author: 'Ben Ford' },
    );
    expect(linesOf(one)).toEqual(['12:05 Changed twice.']);
    expect(one.feed.items[0]).toMatchObject({ id: 'https://old.example/?p=7#4', authors: ['Ben Ford'] });
  });

  test('circular replacements end', async () => {
    const one = await liveblog(
      { id: 1, content: 'a', meta: replaces(2) },
      { id: 2, content: 'b', meta: replaces(1) },
      { id: 3, content: 'c', meta: replaces(3) },
    );
    expect(one.feed.items).toHaveLength(3);
  });
});

test('many unclosed elements are parsed quickly', async () => {
  const spans = `${'<span '.repeat(10_000)}class="${'liveblog-command '.repeat(5_000)}`;
  const one = await liveblog(
    { id: 1, content: spans },
    { id: 2, content: '[caption '.repeat(20_000) },
    { id: 3, content: '[video '.repeat(20_000) },
  );
  expect(one.feed.items.map(({ tags }) => tags)).toEqual(one.feed.items.map(() => []));
}, 15_000);

test('key events and authors are imported', async () => {
  const key = '<span class="liveblog-command type-key">key</span>';
  const one = await liveblog(
    { id: 1, content: 'Noted.', meta: { liveblog_key_entry: 'true' } },
    { id: 2, content: `${key} By command.` },
    { id: 3, content: 'No more.' },
    { id: 4, content: 'No more.', meta: { ...replaces(3) } },
    { id: 5, content: 'Became one.' },
    { id: 6, content: `Became one. ${key}`, meta: replaces(5) },
    { id: 7, content: 'Nobody’s.', meta: { liveblog_hide_authors: '1' } },
    {
      id: 8,
      content: 'Of three.',
      user: 4,
      author: 'Cy Dean',
      meta: { liveblog_contributors: 'a:3:{i:0;s:1:"3";i:1;i:2;i:2;i:99;}' },
    },
  );
  expect(one.feed.items.map(({ tags, authors }) => [tags.length, authors.join(', ')])).toEqual([
    [1, 'Ada Marsh'],
    [1, 'Ada Marsh'],
    [0, 'Ada Marsh'],
    [1, 'Ada Marsh'],
    [0, ''],
    [0, 'Cy Dean, Ben Ford, Ada Marsh'],
  ]);
  expect(linesOf(one)[1]).toBe('12:02 By command.');
});

test('entries that are separate posts are imported with headlines', async () => {
  const entry = { type: 'liveblog', parent: 40, creator: 'ben' };
  const [one, ...more] = await read(
    wxr(
      post({ ...entry, id: 42, title: 'Second', content: 'And then.', at: '2020-01-01 10:05:00' }),
      post({ id: 40, type: 'liveblog', name: 'as-posts' }),
      post({
        ...entry,
        id: 41,
        title: 'First',
        content: '<!-- wp:paragraph --><p>It began.</p><!-- /wp:paragraph -->',
        at: '2020-01-01 10:00:00',
        meta: { liveblog_key_entry: 'true' },
        categories: '<category domain="author" nicename="cap-ada"><![CDATA[ada]]></category>',
      }),
      post({ ...entry, id: 43, status: 'draft', content: 'Not out.' }),
      post({ id: 50, name: 'no-liveblog' }),
      post({ id: 51, parent: 50, content: 'Under something else.' }),
    ),
  );
  expect(more).toEqual([]);
  expect(one).toMatchObject({ slug: 'as-posts', isOver: true });
  expect(one?.feed.items).toMatchObject([
    { title: 'First', authors: ['Ada Marsh'], tags: ['key-event'] },
    { title: 'Second', authors: ['Ben Ford'], tags: [] },
  ]);
});

describe('Rolling Coverage of Newspack', () => {
  const entry = (id: number, given: Partial<WpPost> = {}, slug = 'storm') =>
    post({
      id,
      type: 'rolling_cov_entry',
      title: `Entry ${id}`,
      content: `<!-- wp:paragraph --><p>Words ${id}.</p><!-- /wp:paragraph -->`,
      at: `2026-03-01 10:${String(id % 60).padStart(2, '0')}:00`,
      categories: `<category domain="rolling_coverage" nicename="${slug}">${cdata(`The ${slug}`)}</category>`,
      ...given,
    });
  const correction = (id: number, of: number, content: string, meta: Record<string, string> = {}) =>
    post({
      id,
      type: 'newspack_correction',
      content,
      at: `2026-03-02 10:${String(id % 60).padStart(2, '0')}:00`,
      meta: { 'newspack_correction-post-id': String(of), ...meta },
    });

  test('becomes one coverage per term, with the time and author of each entry', async () => {
    const all = await read(
      wxr(
        term('rolling_coverage', 'storm', 'The storm', 'What it did.', { rolling_coverage_status: 'active' }),
        term('rolling_coverage', 'vote', 'The vote', '', { rolling_coverage_status: 'archived' }),
        entry(12, { creator: 'ben' }),
        entry(11, { meta: { rolling_coverage_slack_author_name: 'Cy Dean' } }),
        entry(13, { status: 'draft' }),
        entry(14, {}, 'vote'),
        entry(15, { categories: '' }),
      ),
    );
    expect(all).toMatchObject([
      { slug: 'storm', isOver: false, deleted: 1, mistakes: [], feed: { description: 'What it did.' } },
      { slug: 'vote', isOver: true, deleted: 0, mistakes: [] },
    ]);
    expect(all[0]?.feed.title).toBe('The storm');
    expect(all[0]?.feed.items).toMatchObject([
      {
        id: 'rolling_coverage/storm#11',
        title: 'Entry 11',
        authors: ['Cy Dean'],
        body: [{ type: 'paragraph', runs: [{ text: 'Words 11.' }] }],
        publishedAt: new Date('2026-03-01T10:11:00Z'),
      },
      { authors: ['Ben Ford'], publishedAt: new Date('2026-03-01T10:12:00Z') },
    ]);
  });

  test('keeps corrections and clarifications with their dates, in order of time', async () => {
    const [one] = await read(
      wxr(
        correction(31, 12, 'It was two, not three.'),
        entry(12),
        correction(30, 12, 'The quay is the old one.', { newspack_corrections_type: 'clarification' }),
        correction(32, 99, 'Of another post.'),
      ),
    );
    expect(one && linesOf(one)).toEqual([
      '10:12 Words 12.\n\nClarification (2026-03-02): The quay is the old one.\n\nCorrection (2026-03-02): It was two, not three.',
    ]);
  });

  test('counts as ended in an export without its terms', async () => {
    expect(await read(wxr(entry(12)))).toMatchObject([{ slug: 'storm', isOver: true }]);
  });

  test('is named and left out when its coverage was thrown away', async () => {
    const hidden: string[] = [];
    const status = { rolling_coverage_status: 'trash' };
    const seen = await read(
      wxr(term('rolling_coverage', 'storm', 'The storm', '', status), entry(12)),
      hidden,
    );
    expect([hidden, seen]).toEqual([['The storm'], []]);
  });
});

test('hidden posts are named and left out', async () => {
  const entries = [{ id: 1, content: 'Words.' }];
  const hidden: string[] = [];
  const seen = await read(
    wxr(
      post({ id: 1, title: 'A draft', status: 'draft', entries }),
      post({ id: 2, title: 'Locked', password: 'secret', entries }),
      post({ id: 3, title: 'Open', entries }),
    ),
    hidden,
  );
  expect([hidden, seen.map(({ title }) => title)]).toEqual([['A draft', 'Locked'], ['Open']]);
});

test('a short text of the post becomes the standfirst, and a long one is reported', async () => {
  const entries = [{ id: 1, content: 'Words.' }];
  const own = (content: string, excerpt = '') => read(wxr(post({ id: 1, content, excerpt, entries })));
  expect(await own('<p>In short.</p>[liveblog_key_events]')).toMatchObject([
    { feed: { description: 'In short.' }, hasOwnText: false },
  ]);
  expect(await own('In short.', 'Shorter.')).toMatchObject([
    { feed: { description: 'Shorter.' }, hasOwnText: true },
  ]);
  expect(await own('Much. '.repeat(500))).toMatchObject([
    { feed: { description: undefined }, hasOwnText: true },
  ]);
  const [long] = await own('', 'So it goes. '.repeat(40));
  expect(long?.feed.description).toMatch(/^So it goes\..*…$/);
  expect([...(long?.feed.description ?? '')].length).toBeLessThanOrEqual(300);
});

test('invalid entries are named with the reason', async () => {
  const { mistakes } = await liveblog(
    { id: 1, content: 'x', at: '0000-00-00 00:00:00' },
    { id: 2, content: 'x', at: '2015-02-30 10:00:00' },
    { id: 3, content: 'Fine.' },
    { id: 3, content: 'Again.' },
    { id: 4, content: 'x'.repeat(150_000) },
    { id: 5, content: '<b>'.repeat(2_000) },
  );
  expect(mistakes).toEqual([
    expect.stringMatching(/^Item 3 \(https:\/\/old\.example\/\?p=7#3\): .*item 2/),
    expect.stringMatching(/^Item 0 \(https:\/\/old\.example\/\?p=7#1\): .*0000-00-00/),
    expect.stringMatching(/^Item 1 .*2015-02-30/),
    expect.stringMatching(/^Item 4 .*100,000 characters/),
    expect.stringMatching(/^Item 5 .*too deep/),
  ]);
});

describe('a file', () => {
  const good = wxr(post({ id: 1, entries: [{ id: 1, content: 'Words.' }] }));

  test.for([
    ['breaks off', good.slice(0, -20), /not valid XML.*line \d+/],
    ['is badly nested', good.replace('</wp:comment>', '</wp:comments>'), /not valid XML.*line \d+/],
    ['has an entity of nobody', good.replace('Words.]]>', 'Words.]]>&boom;'), /not valid XML/],
    [
      'has a document type',
      good.replace('<rss v', '<!DOCTYPE rss [<!ENTITY a "b">]><rss v'),
      /document type/,
    ],
    [
      'is endlessly deep',
      good.replace('<wp:post_id>', `${'<a>'.repeat(50)}${'</a>'.repeat(50)}<wp:post_id>`),
      /not valid XML/,
    ],
  ] as const)('that %s is refused in a sentence', async ([, text, sentence]) => {
    expect((await mistakesIn(text)).join()).toMatch(sentence);
  });

  test('with control characters is read without them', async () => {
    const [one] = await read(good.replace('Words.', 'Wo\u000brds\u0000.'));
    expect(one && linesOf(one)).toEqual(['12:01 Words.']);
  });

  test.for([
    ['an export', good, true],
    ['an export with a mark before it', `\uFEFF${good}`, true],
    ['an older export', good.replaceAll('export/1.2/', 'export/1.0/'), true],
    ['an export with a document type', good.replace('<rss v', '<!DOCTYPE rss><rss v'), true],
    ['a feed', '<rss version="2.0"><channel><title>a</title></channel></rss>', false],
    [
      'Atom about exports',
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>&lt;rss http://wordpress.org/export/1.2/</title></feed>',
      false,
    ],
    ['JSON', '{"title": "<rss xmlns:wp=\\"http://wordpress.org/export/1.2/\\">"}', false],
  ] as const)('is known for %s', ([, head, is]) => {
    expect(isWxr(head)).toBe(is);
  });
});
