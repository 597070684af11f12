import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { findCoverage } from '../../data/coverages.ts';
import { siteUrl } from '../../data/environment.ts';
import { readerClient } from '../../data/reader-client.server.ts';
import { type BackendClient, dataOf } from '../../data/result.ts';
import { readSite, type Site } from '../../data/site.ts';
import { livePath } from '../../domain/coverages.ts';
import { renditionFor } from '../../domain/photos.ts';
import { clockOf, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import { type Clock, fullTime } from '../../domain/time.ts';
import { EXPORT } from '../../i18n/cli.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import type { Messages } from '../../i18n/messages.ts';
import { Refused } from '../../i18n/refusals.ts';
import { type ExportedFiles, writeData } from './data.server.ts';
import { renditionFile } from './format.ts';
import {
  type FetchPage,
  type FolderPage,
  firstPaths,
  folderPageOf,
  type LinkContext,
  type LinkedCoverage,
} from './links.ts';
import { MissingPhotoError, staticPage } from './static-page.ts';

/** Coverage to export, as readers see it now. */
type ExportSubject = LinkedCoverage & {
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
async function readExportSubject(slug: string): Promise<ExportSubject> {
  const linked = await findCoverage(slug);
  if (linked.kind === 'moved') return readExportSubject(linked.slug);
  if (linked.kind === 'gone') throw new Refused('gone', { message: () => EXPORT.withdrawn(slug) });
  if (linked.kind === 'not_found') throw new Refused('not_found', { message: () => EXPORT.missing(slug) });
  const { coverage } = linked;
  if (coverage.state === 'scheduled')
    throw new Refused('bad_state', { message: () => EXPORT.notBegun(slug) });
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
const isUnchanged = (one: ExportSubject, other: ExportSubject): boolean =>
  one.slug === other.slug && one.coverage.seq === other.coverage.seq && one.site.seq === other.site.seq;

/**
 * Returns the text of README.txt.
 * @param files paths of the files in the folder
 */
function folderReadme(
  messages: Messages,
  { coverage, site, clock, at }: ExportSubject,
  files: Iterable<string>,
): string {
  const { readme } = messages.folder;
  const entries = new Set([...files].map(kindOf));
  const kinds = Object.entries(readme.files).flatMap(([kind, text]) =>
    entries.has(kind) ? [`  ${text}`] : [],
  );
  const values = {
    headline: coverage.headline,
    site: site.name,
    url: siteUrl(livePath(coverage.slug)),
    time: fullTime(at, clock),
    updates: coverage.update_count,
    seq: coverage.seq,
  };
  const parts = [
    readme.head(values),
    readme.what(values),
    readme.open,
    kinds.join('\n'),
    readme.again,
    readme.newer,
    readme.whose(site.publisher || site.name),
    ...(site.contact ? [readme.contact(site.contact)] : []),
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
const CONCURRENCY = 4;

/** Input for writing the pages. */
type PageSource = {
  subject: ExportSubject;
  files: ExportedFiles;
  siteUrl: string;
  pages: FetchPage;
  /** Called after each page. */
  progress: (done: number, of: number) => void;
  /** Stops before the next page. */
  signal: AbortSignal;
};

/**
 * Writes all public pages of a coverage into a folder that has its data and photos already. Only a few pages are in
 * memory at a time.
 * @returns number of pages
 * @throws MissingPhotoError, or Refused if the site does not return a page
 */
async function writePages(messages: Messages, folder: string, source: PageSource): Promise<number> {
  const { subject, files, siteUrl, pages, progress, signal } = source;
  const pageAt = (path: string) => folderPageOf(subject, new URL(path, siteUrl)) as FolderPage;
  const renditions = new Map(files.photos.map(({ id, widths }) => [id, widths.map((width) => ({ width }))]));
  const knownPages = new Map<string, FolderPage>();
  const write = writerInto(folder);
  const contextOf = (page: FolderPage): LinkContext => ({
    coverage: subject,
    siteUrl,
    page,
    renditionFileOf: (id, asked) => {
      const rendition = renditionFor(renditions.get(id) ?? [], asked);
      return rendition && renditionFile(id, rendition.width);
    },
    media: files.media,
  });

  async function fetchHtml({ path }: FolderPage): Promise<string> {
    signal.throwIfAborted();
    const { status, body } = await pages(path, subject.at);
    // The page of a withdrawn update is a 410.
    if (status !== 200 && status !== 410) throw pageFailed(path, status);
    return body;
  }

  async function writePage(page: FolderPage): Promise<FolderPage[]> {
    const { html, style, linkedPages } = staticPage(messages, await fetchHtml(page), contextOf(page));
    await Promise.all([write(page.file, html), write(style.file, style.text)]);
    return linkedPages;
  }

  let pending = firstPaths(subject).map(pageAt);
  let done = 0;
  while (pending.length > 0) {
    for (const page of pending) knownPages.set(page.file, page);
    const linked: FolderPage[] = [];
    await runConcurrently(pending, async (page) => {
      if (extname(page.file) === '.html') linked.push(...(await writePage(page)));
      else await write(page.file, await fetchHtml(page));
      progress(++done, knownPages.size);
    });
    const discovered = new Map(
      linked.filter(({ file }) => !knownPages.has(file)).map((page) => [page.file, page]),
    );
    pending = [...discovered.values()];
  }
  await write(
    'README.txt',
    folderReadme(messages, subject, [
      ...knownPages.keys(),
      ...(renditions.size > 0 ? ['photos/'] : []),
      ...(files.media.size > 0 ? ['media/'] : []),
      'data/',
    ]),
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
async function runConcurrently<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of queue) {
      if (failed) return;
      await work(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

const pageFailed = (path: string, status: number) =>
  new Refused(status < 500 ? 'conflict' : 'unavailable', { message: () => EXPORT.notMade(path, status) });

/** Result of an export. */
export type ExportResult = { slug: string; pages: number; updates: number; at: Date };

type ExportOptions = Omit<PageSource, 'subject' | 'files'> & {
  service: BackendClient;
  slug: string;
  /** Absolute path of the folder, which must be missing or empty. */
  to: string;
};

/** Number of attempts if the coverage changes during the export. */
const MAX_ATTEMPTS = 3;

/**
 * Exports a coverage as a folder. Writes into a temporary folder and renames it when it is complete.
 * @throws Refused
 */
export async function writeFolder(options: ExportOptions): Promise<ExportResult> {
  const { to } = options;
  await requireEmptyFolder(to);
  const unfinished = `${to}.unfinished-${randomUUID().slice(0, 8)}`;
  await mkdir(dirname(to), { recursive: true });
  try {
    const written = await writeConsistent(unfinished, options);
    // Neither call changes a folder that has been filled meanwhile.
    await rmdir(to).catch(() => undefined);
    await rename(unfinished, to).catch(() => {
      throw folderNotEmpty(to);
    });
    return written;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** @throws Refused if the folder is not empty */
async function requireEmptyFolder(to: string): Promise<void> {
  const entries = await readdir(to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    const isFile = await lstat(to).catch(() => undefined);
    throw isFile ? folderNotEmpty(to) : error;
  });
  if (entries.length > 0) throw folderNotEmpty(to);
}

const folderNotEmpty = (to: string) => new Refused('bad_state', { message: () => EXPORT.notEmpty(to) });

/** Repeats the export until nothing changed while it ran, so that data and pages match. */
async function writeConsistent(folder: string, options: ExportOptions): Promise<ExportResult> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const subject = await readExportSubject(options.slug);
    const pages = await writeOnce(folder, options, subject);
    if (pages !== undefined && isUnchanged(subject, await readExportSubject(options.slug)))
      return { slug: subject.slug, pages, updates: subject.update_count, at: subject.at };
  }
  throw new Refused('conflict', { message: () => EXPORT.changing });
}

/** @returns number of pages; undefined if the coverage changed meanwhile */
async function writeOnce(
  folder: string,
  options: ExportOptions,
  subject: ExportSubject,
): Promise<number | undefined> {
  try {
    const files = await writeData(options.service, subject.slug, folder);
    const messages = messagesFor(subject.coverage.language, subject.site.language);
    return await writePages(messages, folder, { ...options, subject, files });
  } catch (error) {
    if (error instanceof MissingPhotoError) return undefined;
    if (error instanceof Refused && error.refusal.code === 'conflict') return undefined;
    throw error;
  }
}
