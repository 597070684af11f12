import { isSlug, livePath } from '../domain/coverages.ts';
import { ANY_VALUE, type QueryParameters } from '../domain/paths.ts';
import { siteUrl } from './site-address.ts';

/** Path of the oEmbed endpoint (oembed.com). */
export const OEMBED_PATH = '/oembed';

export const OEMBED_PARAMETERS: QueryParameters = {
  url: ANY_VALUE,
  format: ANY_VALUE,
  maxwidth: /^\d{1,9}$/,
  maxheight: /^\d{1,9}$/,
};

type RawParameters = Record<string, string | null>;

/** Maximum length of a URL. All URLs of this site are shorter. */
const MAX_URL_LENGTH = 500;

/** Paths of a live page, one of its updates, or its embed. */
const COVERAGE_PATH = /^\/live\/([^/]+)(?:\/(?:[1-9]\d{0,8}|embed))?$/;

/**
 * Sizes in pixels that responses are made for, so that few variants are cached. Requests are rounded down to the next
 * size. Sizes from the last one on make no difference: neither a frame nor the image is larger.
 */
const WIDTHS = [100, 200, 300, 400, 500, 600, 700, 1200];
const HEIGHTS = [100, 200, 400, 600, 630];

/** Returns the slug in the URL of a coverage, whichever host it names. */
export function oembedSlug(address: string | null | undefined): string | undefined {
  const url = urlOf(address);
  const slug = url && COVERAGE_PATH.exec(url.pathname)?.[1];
  return slug && isSlug(slug) ? slug : undefined;
}

function urlOf(address: string | null | undefined): URL | undefined {
  const url = address && address.length <= MAX_URL_LENGTH ? URL.parse(address) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** Normalises a request, so that equal requests share one cached response. Empty if it is not about a coverage. */
export function normalizeOembed({
  url: address = null,
  format,
  maxwidth,
  maxheight,
}: RawParameters): RawParameters {
  if (isUnsupportedFormat(format)) return { format: 'xml' };
  const [slug, host] = [oembedSlug(address), urlOf(address)?.host];
  const [width, height] = [sizeOf(maxwidth, WIDTHS), sizeOf(maxheight, HEIGHTS)];
  if (!slug || width === '0' || height === '0') return {};
  return { url: `https://${host}/live/${slug}`, maxwidth: width, maxheight: height };
}

/** Rounds down to one of the sizes; '0' if it is smaller than all of them, null if it needs no limit. */
function sizeOf(requested: string | null | undefined, sizes: number[]): string | null {
  if (!requested || Number(requested) >= (sizes.at(-1) ?? 0)) return null;
  return `${sizes.findLast((size) => size <= Number(requested)) ?? 0}`;
}

/** Whether a format other than JSON is requested. */
export const isUnsupportedFormat = (format: string | null | undefined): boolean =>
  Boolean(format) && format !== 'json';

/** An oEmbed request: a coverage and the maximum size of its frame. */
export type OembedRequest = {
  /** Host of the requested URL, which may be any host. */
  host: string;
  slug: string;
  /** Maximum size in pixels; undefined for no limit. */
  width: number | undefined;
  height: number | undefined;
};

/** Reads a normalised request; null if it is not about a coverage. */
export function readOembedRequest(parameters: URLSearchParams): OembedRequest | null {
  const address = parameters.get('url');
  const [slug, host] = [oembedSlug(address), urlOf(address)?.host];
  if (!slug || !host) return null;
  const [width, height] = ['maxwidth', 'maxheight'].map((name) => Number(parameters.get(name)) || undefined);
  return { host, slug, width, height };
}

/** Path of the embed of a coverage. */
export const embedPath = (slug: string) => `${livePath(slug)}/embed`;

/** Path of the oEmbed response for a page. */
const oembedPath = (path: string) => `/oembed?url=${encodeURIComponent(siteUrl(path))}`;

/** Attributes of the link element that leads to the oEmbed response of a page. */
export const oembedLink = (path: string) => ({ type: 'application/json+oembed', path: oembedPath(path) });
