import { posix } from 'node:path';
import { keyEventsPath, livePath, readView, timelinePath, updatePath } from '../../domain/coverages.ts';
import { feedPath } from '../../domain/list-paths.ts';
import { mediaFileOf } from '../../domain/media-files.ts';
import { mediaFile } from './format.ts';

/** Data of the exported coverage that links depend on. */
export type LinkedCoverage = {
  slug: string;
  /** All current and former slugs. */
  slugs: string[];
  update_count: number;
};

/** A page of the coverage: its path on the site and its file in the folder. */
export type FolderPage = { path: string; file: string };

/** Paths of the pages from which links lead to all others, and of pages that may have no incoming link. */
export const firstPaths = ({ slug, update_count }: LinkedCoverage): string[] => [
  livePath(slug),
  keyEventsPath(slug),
  timelinePath(slug),
  feedPath(`/live/${slug}`, 'atom'),
  feedPath(`/live/${slug}`, 'json'),
  ...Array.from({ length: update_count }, (_, index) => updatePath(slug, index + 1)),
];

/**
 * Returns the page of the folder that a URL of the site leads to. Rounds page boundaries and resolves former slugs as
 * the site does. The oldest-first view is left out because it shows the same updates.
 */
export function folderPageOf(
  { slug, slugs, update_count }: LinkedCoverage,
  { pathname, searchParams }: URL,
): FolderPage | undefined {
  const [, live, linkedSlug = '', part, ...more] = pathname.split('/');
  if (live !== 'live' || !slugs.includes(linkedSlug) || more.length > 0) return undefined;
  if (part === undefined) return listPageOf({ slug, update_count }, searchParams);
  if (part === 'timeline') return { path: timelinePath(slug), file: 'timeline.html' };
  if (part === 'feed.atom' || part === 'feed.json') return { path: `${livePath(slug)}/${part}`, file: part };
  const number = /^[1-9]\d{0,8}$/.test(part) ? Number(part) : 0;
  if (number === 0 || number > update_count) return undefined;
  return { path: updatePath(slug, number), file: `updates/${number}.html` };
}

function listPageOf(
  coverage: { slug: string; update_count: number },
  parameters: URLSearchParams,
): FolderPage | undefined {
  const view = readView(coverage, parameters);
  if (!view) return undefined;
  if (view.kind === 'redirect') return listPageOf(coverage, new URL(view.path, 'http://site').searchParams);
  const before = new URL(view.path, 'http://site').searchParams.get('before');
  switch (view.kind) {
    case 'newest':
      return { path: view.path, file: 'index.html' };
    case 'older':
      return { path: view.path, file: `page-${before}.html` };
    case 'key':
      return { path: view.path, file: before ? `key-events-${before}.html` : 'key-events.html' };
    case 'oldest':
      return undefined;
  }
}

/** Context for converting the links of one page. */
export type LinkContext = {
  coverage: LinkedCoverage;
  /** URL of the site, which distinguishes its links from external ones. */
  siteUrl: string;
  /** The page itself. */
  page: FolderPage;
  /** Returns the file of a photo for a width, if the folder has it. */
  renditionFileOf(id: string, width: number): string | undefined;
  /** Paths on the site of the video and audio files that the folder has. */
  media: ReadonlySet<string>;
};

/** Allowed schemes of links. Others are removed. */
const ALLOWED_SCHEMES = ['http:', 'https:', 'mailto:', 'tel:', 'geo:'];

/** Converted link: its new URL, and the page of the folder if it leads to one. Undefined if the link is removed. */
type LinkTarget = { href: string | undefined; page?: FolderPage };

/**
 * Converts a link for a file in the folder: relative for pages of the folder, absolute for all others. No link may be
 * resolved against the reader's disk.
 */
export function convertLink(href: string, context: LinkContext): LinkTarget {
  if (href.startsWith('#')) return { href };
  const url = URL.parse(href, new URL(context.page.path, context.siteUrl));
  if (!url || !ALLOWED_SCHEMES.includes(url.protocol)) return { href: undefined };
  if (url.origin !== new URL(context.siteUrl).origin) return { href: url.href };
  const page = folderPageOf(context.coverage, url);
  if (page) return { href: `${relativePath(context.page.file, page.file)}${url.hash}`, page };
  return { href: renditionAt(url, context) ?? mediaAt(url, context) ?? url.href };
}

/** Returns the relative path from one file of the folder to another. */
export const relativePath = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** Returns the relative file of the photo that a URL of the site serves. */
export function renditionAt({ pathname }: URL, { page, renditionFileOf }: LinkContext): string | undefined {
  const [, photos, id = '', width = '', ...more] = pathname.split('/');
  if (photos !== 'photos' || more.length > 0) return undefined;
  const file = renditionFileOf(id, Number(width));
  return file && relativePath(page.file, file);
}

/** Returns the relative file of the video or recording that a URL of the site serves. */
function mediaAt({ pathname }: URL, { page, media }: LinkContext): string | undefined {
  const file = media.has(pathname) ? mediaFileOf(pathname) : undefined;
  return file && relativePath(page.file, mediaFile(file));
}

type PageResponse = { status: number; body: string };

/** Fetches a page of the site as of a moment. */
export type FetchPage = (path: string, at: Date) => Promise<PageResponse>;
