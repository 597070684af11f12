import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Item } from '../../src/lib/cli/import/feed.ts';
import { readFeed } from '../../src/lib/cli/import/read-feed.ts';
import { bodyText } from '../../src/lib/domain/body/blocks.ts';
import { readAtom, readJsonFeed } from '../support/feeds.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/** As many as people said to each other on the way to the Moon and back. */
const UPDATES = 1383;
/** Every 77th. */
const KEY_EVENTS = 18;

/** Where there is no transcript: a feed of eight days, newest first, as feeds are; now and then two things are said in the same second. */
const FEED = {
  version: 'https://jsonfeed.org/version/1.1',
  title: 'A long flight',
  items: Array.from({ length: UPDATES }, (_, n) => ({
    id: `said-${n}`,
    date_published: new Date(Date.UTC(1969, 6, 16) + Math.floor((n * 9) / 10) * 500_000).toISOString(),
    content_text: Array.from({ length: 1 + (n % 9) }, (_, line) => `Voice ${line}: said at ${n}.`).join(
      '\n\n',
    ),
    tags: n % 77 === 0 ? ['key-event'] : [],
  })).reverse(),
};

/** What was really said, as NASA wrote it down; it lies beside the project where the project is built. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');

/** Imports a feed and follows the older links from its live page, as a crawler or a text browser does. */
async function walk(site: TestSite, file: string, slug: string): Promise<{ met: number[]; key: number }> {
  await promisify(execFile)(
    process.execPath,
    ['src/lib/cli/import.ts', file, '--slug', slug, '--state', 'ended'],
    { env: { ...process.env, STOPPRESS_DATA: site.data } },
  );
  const met: number[] = [];
  for (let path: string | undefined = `/live/${slug}`; path; ) {
    const html: string = await (await fetch(site.url + path)).text();
    met.push(...[...html.matchAll(/<article id="update-(\d+)"/g)].map(([, number]) => Number(number)));
    path = /<a href="([^"]+)" rel="next">Older<\/a>/.exec(html)?.[1];
  }
  const events = await (await fetch(`${site.url}/live/${slug}?show=key`)).text();
  return { met, key: [...events.matchAll(/<article id="update-/g)].length };
}

const EVERY_ONE_ONCE = { met: Array.from({ length: UPDATES }, (_, n) => UPDATES - n), key: KEY_EVENTS };

test.skipIf(existsSync(TRANSCRIPT))(
  'older links lead through every update of a long coverage, each met once',
  { timeout: 120_000 },
  async ({ site, onTestFinished }) => {
    const file = join(tmpdir(), `stoppress-flight-${process.pid}.json`);
    onTestFinished(() => rm(file));
    await writeFile(file, JSON.stringify(FEED));
    expect(await walk(site, file, 'flight')).toEqual(EVERY_ONE_ONCE);
  },
);

test.skipIf(!existsSync(TRANSCRIPT))(
  'older links and feeds lead through all of the transcript of Apollo 11, where it is beside the project',
  { timeout: 240_000 },
  async ({ site }) => {
    expect(await walk(site, TRANSCRIPT, 'apollo-11')).toEqual(EVERY_ONE_ONCE);
    const came = told(await readFile(TRANSCRIPT, 'utf8'), ({ authors }) => `Source: ${authors.join(', ')}`);
    for (const format of ['atom', 'json'] as const) {
      const [newest = '', ...archive] = await feedOf(site, `/live/apollo-11/feed.${format}`);
      expect(archive).toHaveLength(27);
      // The newest document has what is in no archive, and what changed last.
      expect(told(newest)).toEqual(came.slice(-50));
      expect(archive.toReversed().flatMap((text) => told(text))).toEqual(came.slice(0, 27 * 50));
    }
  },
);

/** The documents of a feed, from the newest on. */
async function feedOf(site: TestSite, path: string): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | undefined = site.url + path; next; ) {
    const text: string = await (await fetch(next)).text();
    texts.push(text);
    next = path.endsWith('.atom') ? readAtom(text).link('prev-archive') : readJsonFeed(text).feed.next_url;
  }
  return texts;
}

/** What an import takes of a feed. @param under what stands under the words of an item */
const told = (text: string, under: (item: Item) => string = () => '') =>
  readFeed(text).items.map((item) => ({
    title: item.title,
    said: `${bodyText(item.body)} ${under(item)}`.replace(/\s+/g, ' ').trim(),
    isKey: item.tags.includes('key-event'),
    at: Math.floor(item.publishedAt.getTime() / 1000),
  }));
