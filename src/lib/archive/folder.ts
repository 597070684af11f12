import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { Refused, refusal } from '../http/errors.ts';
import { printFor } from '../photos/print-sizes.ts';
import { EXPORT } from '../text/commands.ts';
import type { ArchivedCoverage } from './data.server.ts';
import { printFile } from './data-format.ts';
import type { Standing } from './links.ts';
import type { Pages } from './pages.ts';
import { firstPaths, type Place, placeOf } from './places.ts';
import { readmeOf } from './readme.ts';
import { keptPage } from './rewrite.ts';
import type { Subject } from './subject.ts';

/** Pages under way at once: one is rendered while the backend looks for what is on the next. */
const AT_ONCE = 4;

/** What the pages of a folder are made from. */
export type Source = {
  subject: Subject;
  photos: ArchivedCoverage['photos'];
  siteUrl: string;
  pages: Pages;
  /** Called after each page. */
  progress: (done: number, of: number) => void;
  /** Ends it between two pages. */
  signal: AbortSignal;
};

/**
 * Writes all that is to be read of a coverage into a folder that has its data and photos. A few pages are in memory at
 * a time.
 * @returns how many pages there are
 * @throws PhotoMissing, or Refused where the site does not have a page that it should
 */
export async function writePages(folder: string, source: Source): Promise<number> {
  const { subject, photos, siteUrl, pages, progress, signal } = source;
  const placeAt = (path: string) => placeOf(subject, new URL(path, siteUrl)) as Place;
  const prints = new Map(photos.map(({ id, widths }) => [id, widths.map((width) => ({ width }))]));
  const known = new Map<string, Place>();
  const write = writerInto(folder);
  const standingAt = (place: Place): Standing => ({
    coverage: subject,
    siteUrl,
    place,
    printOf: (id, asked) => {
      const print = printFor(prints.get(id) ?? [], asked);
      return print && printFile(id, print.width);
    },
  });

  async function ask({ path }: Place): Promise<string> {
    signal.throwIfAborted();
    const { status, body } = await pages(path, subject.at);
    // An update that was taken back has a page that says so.
    if (status !== 200 && status !== 410) throw notMade(path, status);
    return body;
  }

  async function make(place: Place): Promise<Place[]> {
    const { html, style, leadsTo } = keptPage(await ask(place), standingAt(place));
    await Promise.all([write(place.file, html), write(style.file, style.text)]);
    return leadsTo;
  }

  let wave = firstPaths(subject).map(placeAt);
  let done = 0;
  while (wave.length > 0) {
    for (const place of wave) known.set(place.file, place);
    const found: Place[] = [];
    await inTurns(wave, async (place) => {
      if (extname(place.file) === '.html') found.push(...(await make(place)));
      else await write(place.file, await ask(place));
      progress(++done, known.size);
    });
    const fresh = new Map(found.filter(({ file }) => !known.has(file)).map((place) => [place.file, place]));
    wave = [...fresh.values()];
  }
  await write(
    'README.txt',
    readmeOf(subject, [...known.keys(), ...(prints.size > 0 ? ['photos/'] : []), 'data/']),
  );
  return done;
}

/** Each file once: many pages have the same looks. */
function writerInto(folder: string) {
  const folders = new Map<string, Promise<unknown>>();
  const written = new Map<string, Promise<void>>();
  const writeNew = async (file: string, text: string) => {
    const within = dirname(file);
    if (!folders.has(within)) folders.set(within, mkdir(join(folder, within), { recursive: true }));
    await folders.get(within);
    await writeFile(join(folder, file), text, { flag: 'wx' });
  };
  return async (file: string, text: string) => {
    const writing = written.get(file) ?? writeNew(file, text);
    written.set(file, writing);
    await writing;
  };
}

/** Waits for all that is under way also where one has failed: nothing is written after that. */
async function inTurns<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const turns = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of turns) {
      if (failed) return;
      await work(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

const notMade = (path: string, status: number) =>
  new Refused(refusal(status < 500 ? 'conflict' : 'unavailable', { sentence: EXPORT.notMade(path, status) }));
