import { isSlug, livePath } from '../domain/coverages.ts';
import { ANY_VALUE, type QueryParameters } from '../domain/paths.ts';
import { siteUrl } from './site-address.ts';

/** What describes our pages to other sites (oembed.com). */
export const OEMBED = '/oembed';

export const OEMBED_PARAMETERS: QueryParameters = {
  url: ANY_VALUE,
  format: ANY_VALUE,
  maxwidth: /^\d{1,9}$/,
  maxheight: /^\d{1,9}$/,
};

type Given = Record<string, string | null>;

/** Addresses of ours are shorter. */
const LONGEST_URL = 500;

/** A live page in whatever order, one of its updates, its frame. */
const OF_COVERAGE = /^\/live\/([^/]+)(?:\/(?:[1-9]\d{0,8}|embed))?$/;

/**
 * Sizes that are told apart, in pixels, so that few answers are kept of each coverage: the next smaller one is given.
 * From the last on a size is no matter: neither a frame nor the picture of a card is any larger.
 */
const WIDTHS = [100, 200, 300, 400, 500, 600, 700, 1200];
const HEIGHTS = [100, 200, 400, 600, 630];

/** The slug of the coverage that an address is about, whoever's it is. */
export function slugIn(address: string | null | undefined): string | undefined {
  const url = urlOf(address);
  const slug = url && OF_COVERAGE.exec(url.pathname)?.[1];
  return slug && isSlug(slug) ? slug : undefined;
}

function urlOf(address: string | null | undefined): URL | undefined {
  const url = address && address.length <= LONGEST_URL ? URL.parse(address) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** One form for all questions that have the same answer; nothing of those that are about no coverage. */
export function tidyOembed({ url: address = null, format, maxwidth, maxheight }: Given): Given {
  if (isOtherFormat(format)) return { format: 'xml' };
  const [slug, host] = [slugIn(address), urlOf(address)?.host];
  const [width, height] = [sizeOf(maxwidth, WIDTHS), sizeOf(maxheight, HEIGHTS)];
  if (!slug || width === '0' || height === '0') return {};
  return { url: `https://${host}/live/${slug}`, maxwidth: width, maxheight: height };
}

/** The largest of the sizes that is not above what was asked for; 0 when all are, null when none is too large. */
function sizeOf(asked: string | null | undefined, sizes: number[]): string | null {
  if (!asked || Number(asked) >= (sizes.at(-1) ?? 0)) return null;
  return `${sizes.findLast((size) => size <= Number(asked)) ?? 0}`;
}

/** Is it a form that is not spoken here? */
export const isOtherFormat = (format: string | null | undefined): boolean =>
  Boolean(format) && format !== 'json';

/** What another site asks to be told of: a coverage, and how large the frame may be that it has for it. */
export type Question = {
  /** Of the address that was asked about, which may be anybody's. */
  host: string;
  slug: string;
  /** In pixels; none where it is no matter. */
  width: number | undefined;
  height: number | undefined;
};

/** Reads a question that was brought into its form; null when it is about no coverage. */
export function readQuestion(parameters: URLSearchParams): Question | null {
  const address = parameters.get('url');
  const [slug, host] = [slugIn(address), urlOf(address)?.host];
  if (!slug || !host) return null;
  const [width, height] = ['maxwidth', 'maxheight'].map((name) => Number(parameters.get(name)) || undefined);
  return { host, slug, width, height };
}

/** The live page for another site's frame. */
export const embedPath = (slug: string) => `${livePath(slug)}/embed`;

/** What describes that to other sites, by the address of a page of the coverage. */
export const oembedPath = (path: string) => `/oembed?url=${encodeURIComponent(siteUrl(path))}`;

/** How a page leads other sites to what describes it. */
export const oembedLink = (path: string) => ({ type: 'application/json+oembed', path: oembedPath(path) });
