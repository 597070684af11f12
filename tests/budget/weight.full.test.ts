import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { compress, compressBest } from '../../src/lib/server/page-cache/cached-response.ts';
import { bytesOf } from '../support/bytes.ts';
import { eventually } from '../support/eventually.ts';
import { addMedia } from '../support/media.ts';
import { call, type Newsroom, paragraph, type UpdateContent } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { seededRandom } from '../support/random.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';
import budget from './bytes.json' with { type: 'json' };

const test = base.extend('ownSite', true);

const PHOTOS = 5;
/** Number of updates on the newest page. */
const UPDATES = 19;

/** The same in every run. Random text compresses badly. */
const random = seededRandom(11).below;
const letters = (count: number, from = 'abcdefghijklmnopqrstuvwxyz0123456789') =>
  Array.from({ length: count }, () => from[random(from.length)]).join('');
const VOCABULARY = Array.from({ length: 3000 }, () => letters(2 + random(8)));
/** Text of the given length from three thousand words in random order. */
const randomText = (length: number) => {
  let text = '';
  while (text.length < length) text += `${VOCABULARY[random(3000)]}${random(9) ? '' : '.'} `;
  return text.slice(0, length).trim();
};
/** The same from 3,000 Chinese characters, in sentences. */
const chinese = (length: number) =>
  Array.from({ length }, (_, n) => (n % 30 === 29 ? '。' : String.fromCodePoint(0x4e00 + random(3000)))).join(
    '',
  );
const randomTime = () =>
  `2026-11-${letters(2, '12')}T1${letters(1, '0123456789')}:${letters(2, '012345')}:${letters(2, '012345')}Z`;
const address = () => `https://example.org/${letters(2000)}`;

/** Pages that are worse than any real one: the content of their updates and of their other parts. */
type Case = {
  name: string;
  text: (length: number) => string;
  body: (text: Case['text'], files: Block[]) => Block[];
  /** Whether its updates show the photos of the coverage and its video, which is the first of the files. */
  hasFiles?: true;
};

const CASES: Case[] = [
  { name: 'long updates', text: randomText, body: (text) => [paragraph(text(5000)), paragraph(text(4990))] },
  { name: 'Chinese', text: chinese, body: (text) => [paragraph(text(9999))] },
  {
    name: 'many links',
    text: randomText,
    body: () => Array.from({ length: 40 }, () => ({ type: 'link', url: address(), title: randomText(100) })),
  },
  {
    name: 'linked text, lists and quotes',
    text: randomText,
    body: (text) => [
      {
        type: 'list',
        ordered: true,
        items: [[{ text: text(200), link: address() }], [{ text: text(2000) }]],
      },
      { type: 'quote', text: text(2000), attribution: text(100) },
    ],
  },
  {
    name: 'tables',
    text: randomText,
    body: (text) => [
      {
        type: 'table',
        rows: Array.from({ length: 150 }, () =>
          Array.from({ length: 12 }, (_, column) => (column ? [{ text: letters(4) }] : [{ text: text(5) }])),
        ),
        caption: text(400),
        source: text(100),
      },
    ],
  },
  {
    name: 'tables of links',
    text: randomText,
    body: () => [
      {
        type: 'table',
        rows: Array.from({ length: 5 }, () =>
          Array.from({ length: 12 }, () => [{ text: letters(10), link: address() }]),
        ),
      },
    ],
  },
  {
    name: 'posts',
    text: randomText,
    body: (text) =>
      Array.from({ length: 30 }, () => ({
        type: 'post',
        url: `https://example.org/${letters(60)}`,
        author: text(20),
        handle: `@${letters(20)}`,
        network: text(20),
        text: text(200),
        posted_at: randomTime(),
        quoted_at: randomTime(),
        gone_at: randomTime(),
      })),
  },
  {
    name: 'players',
    text: randomText,
    body: (text) =>
      Array.from({ length: 10 }, (_, n) => ({
        type: 'media',
        url: `https://vimeo.com/${n + 1}/${letters(16, 'abcdef0123456789')}`,
        title: text(300),
        description: text(500),
      })),
  },
  {
    name: 'maps',
    text: randomText,
    body: () =>
      Array.from({ length: 40 }, () => ({
        type: 'map',
        name: letters(80),
        latitude: (random(17_999_999) - 8_999_999) / 1e5,
        longitude: (random(35_999_999) - 17_999_999) / 1e5,
        zoom: 17,
      })),
  },
  {
    name: 'photos',
    text: randomText,
    hasFiles: true,
    body: (text, [, ...photos]) => [paragraph(text(100)), ...photos],
  },
  {
    name: 'every kind of block',
    text: randomText,
    hasFiles: true,
    body: (text, files) => [
      { type: 'link', url: address(), title: text(100), description: text(300), site: text(50) },
      ...files.slice(0, 3).toReversed(),
      {
        type: 'media',
        url: `https://vimeo.com/${1 + random(1e6)}`,
        title: text(100),
        description: text(200),
      },
      { type: 'map', name: text(60), latitude: random(9_000_000) / 1e5, longitude: random(9_000_000) / 1e5 },
      {
        type: 'post',
        url: `https://example.org/${letters(60)}`,
        author: text(20),
        handle: `@${letters(20)}`,
        text: text(300),
        quoted_at: randomTime(),
        gone_at: randomTime(),
      },
      {
        type: 'table',
        rows: Array.from({ length: 40 }, () => Array.from({ length: 3 }, () => [{ text: text(12) }])),
        caption: text(100),
        as_of: randomTime(),
        preset: 'closures',
      },
      { type: 'list', items: [[{ text: text(100), link: address() }], [{ text: text(200) }]] },
      { type: 'quote', text: text(300), attribution: text(50) },
    ],
  },
  {
    name: 'tables of shares, each with a bar',
    text: randomText,
    body: () => [
      {
        type: 'table',
        rows: Array.from({ length: 90 }, () =>
          Array.from({ length: 12 }, () => [{ text: `${random(100)}.${random(1000)} %` }]),
        ),
        preset: 'results',
      },
    ],
  },
];

/** Writes a coverage with every part of its page at the maximal length. */
async function write({ people, ...newsroom }: Newsroom, { text, body }: Case, files: Block[]): Promise<void> {
  const coverage_id = newsroom.coverage.id;
  const { client } = people.editor;
  const content = { headline: text(110), standfirst: text(290), kicker: text(38) };
  await call(client, 'save_coverage', { coverage_id, version: 1, content });
  await newsroom.setSummary([paragraph(text(9000))]);
  for (let n = 1; n <= UPDATES; n++) {
    const update = await newsroom.publish({
      headline: text(110),
      key_event: n > 8,
      attribution: text(110),
      dateline: text(70),
      body: body(text, files),
    } as UpdateContent);
    if (n % 4 === 0)
      await newsroom.correct(update, { headline: text(110), body: body(text, files) }, text(480));
    if (n === UPDATES) await newsroom.pin(update);
  }
}

/** Size of a page as first compressed quickly, and after the recompression on an idle server. */
async function weigh(site: TestSite, slug: string): Promise<{ first: number; repacked: number }> {
  const url = `${site.url}/live/${slug}`;
  const { head, quick, smallest } = await eventually(async () => {
    const sizes = await sizesOf(url);
    expect(sizes.sent).toBe('smallest');
    return sizes;
  });
  return { first: head + quick, repacked: head + smallest };
}

async function sizesOf(url: string) {
  const bytes = await bytesOf(url);
  const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } });
  const length = Number(answer.headers.get('content-length'));
  const bodies = await compress(Buffer.from(await answer.arrayBuffer()), 'text/html');
  const [quick, smallest] = [bodies.br?.length ?? 0, (await compressBest(bodies)).br?.length ?? 0];
  // The three answers are the same one: the page may be rendered again between them.
  const isOne = bytes === (await bytesOf(url));
  return { head: bytes - length, quick, smallest, sent: isOne && length === smallest ? 'smallest' : length };
}

/** Adds a video and photos. */
const addFiles = async (site: TestSite, newsroom: Newsroom): Promise<Block[]> => {
  const files = [addMedia(site, newsroom), ...Array.from({ length: PHOTOS }, () => addPhoto(site, newsroom))];
  return (await Promise.all(files)).map(({ block }) => block);
};

test.for(CASES)(
  'fits the initial congestion window with a page of $name, and with its embed',
  async (example, { site, newsroom }) => {
    await write(newsroom, example, example.hasFiles ? await addFiles(site, newsroom) : []);
    const { first, repacked } = await weigh(site, newsroom.coverage.slug);
    expect(first).toBeLessThanOrEqual(budget['live page, head and body, first copy']);
    expect(repacked).toBeLessThanOrEqual(first);
    const frame = await weigh(site, `${newsroom.coverage.slug}/embed`);
    expect(frame.first).toBeLessThanOrEqual(budget['live page, head and body, first copy']);
  },
);

/** NASA's transcript of Apollo 11, which lies beside the project where it is developed. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');
/** Last update of the newest page with the most text. */
const DENSEST = 859;

test.skipIf(!existsSync(TRANSCRIPT))(
  'stays within the budget with the densest page of Apollo 11 (needs the transcript)',
  async ({ site, onTestFinished }) => {
    const feed = JSON.parse(await readFile(TRANSCRIPT, 'utf8'));
    const file = join(tmpdir(), `stoppress-apollo-${process.pid}.json`);
    onTestFinished(() => rm(file));
    const past: { tags?: string[] }[] = feed.items.slice(-DENSEST);
    // Earlier updates are on that page only as ten key events.
    const older = past.slice(UPDATES).filter(({ tags }) => tags?.includes('key-event'));
    const items = [...past.slice(0, UPDATES), ...older.slice(0, 10)];
    await writeFile(file, JSON.stringify({ ...feed, items }));
    await promisify(execFile)(
      process.execPath,
      ['src/lib/cli/import.ts', file, '--slug', 'apollo-11', '--state', 'live'],
      { env: { ...process.env, STOPPRESS_DATA: site.data } },
    );
    const { first, repacked } = await weigh(site, 'apollo-11');
    expect(first).toBeLessThanOrEqual(budget['live page, Apollo 11 at its densest, first copy']);
    expect(repacked).toBeLessThanOrEqual(budget['live page, Apollo 11 at its densest, repacked']);
  },
);
