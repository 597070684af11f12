import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Item } from '../../src/lib/cli/import/read-feed.ts';
import { readFeed } from '../../src/lib/cli/import/read-feed.ts';
import { bodyText } from '../../src/lib/domain/body/blocks.ts';
import { readAtom, readJsonFeed } from '../support/feeds.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/** Length of the Apollo 11 transcript. */
const UPDATES = 1383;
/** Every 77th update. */
const KEY_EVENTS = 18;

/** Replaces the transcript where it is missing: eight days, newest first, with some items of the same second. */
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

/** NASA's transcript of Apollo 11, which lies beside the project where it is developed. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');

/** Imports a feed and follows the links to older pages from its live page, as a crawler does. */
async function walk(site: TestSite, file: string, slug: string): Promise<{ numbers: number[]; key: number }> {
  await promisify(execFile)(
    process.execPath,
    ['src/lib/cli/import.ts', file, '--slug', slug, '--state', 'ended'],
    { env: { ...process.env, STOPPRESS_DATA: site.data } },
  );
  const numbers: number[] = [];
  for (let path: string | undefined = `/live/${slug}`; path; ) {
    const html: string = await (await fetch(site.url + path)).text();
    numbers.push(...[...html.matchAll(/<article id="update-(\d+)"/g)].map(([, number]) => Number(number)));
    path = /<a href="([^"]+)" rel="next">Older<\/a>/.exec(html)?.[1];
  }
  const events = await (await fetch(`${site.url}/live/${slug}?show=key`)).text();
  return { numbers, key: [...events.matchAll(/<article id="update-/g)].length };
}

const EXPECTED = { numbers: Array.from({ length: UPDATES }, (_, n) => UPDATES - n), key: KEY_EVENTS };

test.skipIf(existsSync(TRANSCRIPT))(
  'reaches every update of a long coverage once over links to older pages',
  { timeout: 120_000 },
  async ({ site, onTestFinished }) => {
    const file = join(tmpdir(), `stoppress-flight-${process.pid}.json`);
    onTestFinished(() => rm(file));
    await writeFile(file, JSON.stringify(FEED));
    expect(await walk(site, file, 'flight')).toEqual(EXPECTED);
  },
);

test.skipIf(!existsSync(TRANSCRIPT))(
  'reaches the whole Apollo 11 transcript over older pages and feeds (needs the transcript)',
  { timeout: 240_000 },
  async ({ site }) => {
    expect(await walk(site, TRANSCRIPT, 'apollo-11')).toEqual(EXPECTED);
    const imported = itemsOf(
      await readFile(TRANSCRIPT, 'utf8'),
      ({ authors }) => `Source: ${authors.join(', ')}`,
    );
    for (const format of ['atom', 'json'] as const) {
      const [newest = '', ...archive] = await feedOf(site, `/live/apollo-11/feed.${format}`);
      expect(archive).toHaveLength(27);
      // The newest document contains the latest changes, besides updates that no archive contains.
      expect(itemsOf(newest)).toEqual(imported.slice(-50));
      expect(archive.toReversed().flatMap((text) => itemsOf(text))).toEqual(imported.slice(0, 27 * 50));
    }
  },
);

/** Documents of a feed, newest first. */
async function feedOf(site: TestSite, path: string): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | undefined = site.url + path; next; ) {
    const text: string = await (await fetch(next)).text();
    texts.push(text);
    next = path.endsWith('.atom') ? readAtom(text).link('prev-archive') : readJsonFeed(text).feed.next_url;
  }
  return texts;
}

/** The parts of a feed that an import takes. @param under text under the body of an item */
const itemsOf = (text: string, under: (item: Item) => string = () => '') =>
  readFeed(text).items.map((item) => ({
    title: item.title,
    said: `${bodyText(item.body)} ${under(item)}`.replace(/\s+/g, ' ').trim(),
    isKey: item.tags.includes('key-event'),
    at: Math.floor(item.publishedAt.getTime() / 1000),
  }));
