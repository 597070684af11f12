import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { findCoverage } from '../../data/coverages.ts';
import { readerClient } from '../../data/reader-client.server.ts';
import { dataOf } from '../../data/result.ts';
import { readSite, type Site } from '../../data/site.ts';
import { siteUrl } from '../../data/site-address.ts';
import { livePath } from '../../domain/coverages.ts';
import type { Database } from '../../domain/database.types.ts';
import { renditionFor } from '../../domain/photos.ts';
import { clockOf, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import { type Clock, fullTime } from '../../domain/time.ts';
import { EXPORT } from '../../i18n/cli.ts';
import { folder } from '../../i18n/folder.ts';
import { Refused, refusal } from '../../i18n/refusals.ts';
import { speak, speakingIn } from '../../i18n/request-language.server.ts';
import { type ArchivedCoverage, writeData } from './data.server.ts';
import { printFile } from './format.ts';
import { firstPaths, type Kept, type Pages, type Place, placeOf, type Standing } from './links.ts';
import { keptPage, PhotoMissing } from './static-page.ts';

/** Coverage to export, as readers see it now. */
export type Subject = Kept & {
  coverage: ReaderCoverage;
  site: Site;
  clock: Clock;
  /** Time of the last public change. Pages are rendered as of this time. */
  at: Date;
};

/**
 * Returns the coverage with this current or former slug.
 * @throws Refused if it is not public
 */
export async function readSubject(slug: string): Promise<Subject> {
  const found = await findCoverage(slug);
  if (found.kind === 'moved') return readSubject(found.slug);
  if (found.kind === 'gone') throw new Refused(refusal('gone', { sentence: EXPORT.withdrawn(slug) }));
  if (found.kind === 'not_found') throw new Refused(refusal('not_found', { sentence: EXPORT.missing(slug) }));
  const { coverage } = found;
  if (coverage.state === 'scheduled')
    throw new Refused(refusal('bad_state', { sentence: EXPORT.notBegun(slug) }));
  const [site, slugs, changes] = await Promise.all([
    readSite(),
    dataOf(readerClient().from('coverage_slugs').select('slug').eq('coverage_id', coverage.id)),
    dataOf(
      readerClient()
        .from('coverage_changes')
        .select('at')
        .eq('coverage_id', coverage.id)
        .order('seq', { ascending: false })
        .limit(1),
    ),
  ]);
  const at = changes[0]?.at ?? coverage.published_at;
  return {
    slug: coverage.slug,
    slugs: slugs.map((row) => row.slug),
    update_count: coverage.update_count,
    coverage,
    site,
    clock: clockOf(coverage),
    at: at ? new Date(at) : new Date(0),
  };
}

/** Whether nothing public has changed between two reads. */
export const isSame = (one: Subject, other: Subject): boolean =>
  one.slug === other.slug && one.coverage.seq === other.coverage.seq && one.site.seq === other.site.seq;

/**
 * Returns the text of README.txt.
 * @param files paths of the files in the folder
 */
export function readmeOf({ coverage, site, clock, at }: Subject, files: Iterable<string>): string {
  const words = folder.readme;
  const there = new Set([...files].map(kindOf));
  const kinds = Object.entries(words.files).flatMap(([kind, text]) => (there.has(kind) ? [`  ${text}`] : []));
  const said = {
    headline: coverage.headline,
    site: site.name,
    url: siteUrl(livePath(coverage.slug)),
    time: fullTime(at, clock),
    updates: coverage.update_count,
    seq: coverage.seq,
  };
  const parts = [
    words.head(said),
    words.what(said),
    words.open,
    kinds.join('\n'),
    words.again,
    words.newer,
    words.whose(site.publisher || site.name),
    ...(site.contact ? [words.contact(site.contact)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function kindOf(file: string): string {
  const [folder, ...rest] = file.split('/');
  if (rest.length > 0) return folder ?? '';
  if (file.startsWith('page-')) return 'pages';
  if (file.startsWith('key-events')) return 'key';
  if (file.startsWith('timeline')) return 'timeline';
  return file.startsWith('feed.') ? 'feeds' : 'index';
}

/** Number of pages rendered at the same time. */
const AT_ONCE = 4;

/** Input for writing the pages. */
export type Source = {
  subject: Subject;
  photos: ArchivedCoverage['photos'];
  siteUrl: string;
  pages: Pages;
  /** Called after each page. */
  progress: (done: number, of: number) => void;
  /** Stops before the next page. */
  signal: AbortSignal;
};

/**
 * Writes all public pages of a coverage into a folder that has its data and photos already. Only a few pages are in
 * memory at a time.
 * @returns number of pages
 * @throws PhotoMissing, or Refused if the site does not return a page
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
      const print = renditionFor(prints.get(id) ?? [], asked);
      return print && printFile(id, print.width);
    },
  });

  async function ask({ path }: Place): Promise<string> {
    signal.throwIfAborted();
    const { status, body } = await pages(path, subject.at);
    // The page of a withdrawn update is a 410.
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

/** Returns a function that writes each file once, because pages share styles. */
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

/**
 * Runs the work with limited concurrency. Waits for running work after a failure, so that nothing is written
 * afterwards.
 */
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

/** Result of an export. */
export type Written = { slug: string; pages: number; updates: number; at: Date };

type Wanted = Omit<Source, 'subject' | 'photos'> & {
  service: SupabaseClient<Database>;
  slug: string;
  /** Absolute path of the folder, which must be missing or empty. */
  to: string;
};

/** Number of attempts if the coverage changes during the export. */
const ATTEMPTS = 3;

/**
 * Exports a coverage as a folder. Writes into a temporary folder and renames it when it is complete.
 * @throws Refused
 */
export async function writeFolder(wanted: Wanted): Promise<Written> {
  const { to } = wanted;
  await refuseTaken(to);
  const unfinished = `${to}.unfinished-${randomUUID().slice(0, 8)}`;
  await mkdir(dirname(to), { recursive: true });
  try {
    const written = await writeSame(unfinished, wanted);
    // Neither call changes a folder that has been filled meanwhile.
    await rmdir(to).catch(() => undefined);
    await rename(unfinished, to).catch(() => {
      throw taken(to);
    });
    return written;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** @throws Refused if the folder is not empty */
async function refuseTaken(to: string): Promise<void> {
  const there = await readdir(to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    const isFile = await lstat(to).catch(() => undefined);
    throw isFile ? taken(to) : error;
  });
  if (there.length > 0) throw taken(to);
}

const taken = (to: string) => new Refused(refusal('bad_state', { sentence: EXPORT.taken(to) }));

/** Repeats the export until nothing changed while it ran, so that data and pages match. */
async function writeSame(folder: string, wanted: Wanted): Promise<Written> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const subject = await readSubject(wanted.slug);
    const pages = await writeOnce(folder, wanted, subject);
    if (pages !== undefined && isSame(subject, await readSubject(wanted.slug)))
      return { slug: subject.slug, pages, updates: subject.update_count, at: subject.at };
  }
  throw new Refused(refusal('conflict', { sentence: EXPORT.changing }));
}

/** @returns number of pages; undefined if the coverage changed meanwhile */
async function writeOnce(folder: string, wanted: Wanted, subject: Subject): Promise<number | undefined> {
  try {
    const { photos } = await writeData(wanted.service, subject.slug, folder);
    return await speakingIn(subject.site.language, () => {
      speak(subject.coverage.language);
      return writePages(folder, { ...wanted, subject, photos });
    });
  } catch (error) {
    if (error instanceof PhotoMissing) return undefined;
    if (error instanceof Refused && error.refusal.code === 'conflict') return undefined;
    throw error;
  }
}
