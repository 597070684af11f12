import { normalizePart, PART_PARAMETERS } from '../domain/coverage-part.ts';
import { CHANGES_PARAMETERS, isSlug, livePath, VIEW_PARAMETERS } from '../domain/coverages.ts';
import {
  CORRECTIONS_PARAMETERS,
  COVERAGE_FEED_PARAMETERS,
  LIST_FEED_PARAMETERS,
  PAGE_PARAMETERS,
  TIME_PAGE_PARAMETERS,
} from '../domain/list-paths.ts';
import { ANY_VALUE, decodePath, pathWith, pickParameters, type QueryParameters } from '../domain/paths.ts';
import { normalizeSearch, SEARCH_PARAMETERS } from '../domain/search.ts';
import { siteUrl } from './environment.ts';

/** Path of the oEmbed endpoint (oembed.com). */
const OEMBED_PATH = '/oembed';

const OEMBED_PARAMETERS: QueryParameters = {
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
const EMBED_WIDTHS = [100, 200, 300, 400, 500, 600, 700, 1200];
const EMBED_HEIGHTS = [100, 200, 400, 600, 630];

/** Returns the slug in the URL of a coverage, whichever host it names. */
function oembedSlug(address: string | null | undefined): string | undefined {
  const url = urlOf(address);
  const slug = url && COVERAGE_PATH.exec(url.pathname)?.[1];
  return slug && isSlug(slug) ? slug : undefined;
}

function urlOf(address: string | null | undefined): URL | undefined {
  const url = address && address.length <= MAX_URL_LENGTH ? URL.parse(address) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** Normalises a request, so that equal requests share one cached response. Empty if it is not about a coverage. */
function normalizeOembed({ url: address = null, format, maxwidth, maxheight }: RawParameters): RawParameters {
  if (isUnsupportedFormat(format)) return { format: 'xml' };
  const [slug, host] = [oembedSlug(address), urlOf(address)?.host];
  const [width, height] = [sizeOf(maxwidth, EMBED_WIDTHS), sizeOf(maxheight, EMBED_HEIGHTS)];
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

/** Public page of a request, as the page cache needs it. */
export type CacheRoute = {
  /** Cache key: the path with its known parameters in canonical order. The page is rendered for this URL. */
  key: string;
  /** Slug of the coverage that the page belongs to. */
  slug?: string;
  /** URL of the page that is served if this one does not exist. */
  missing: string;
};

type Route = {
  path: RegExp;
  parameters: QueryParameters;
  /** Normalises the parameters, so that equal requests have one key. */
  normalize?(values: Record<string, string | null>): Record<string, string | null>;
  /** Returns the slug of the coverage if a parameter names it. */
  about?(values: Record<string, string | null>): string | undefined;
  missing?: string;
};

/** Shared URL of all missing pages. */
const MISSING = '/404';
export const MISSING_ROUTE: CacheRoute = { key: MISSING, missing: MISSING };
/** The same for changes responses. `-` is not a valid slug. */
const NO_CHANGES = '/live/-/changes?after=0';
/** The same for embeds, which must not show a normal page. */
const NO_EMBED = '/live/-/embed';
/** The same for parts. */
const NO_PART = '/live/-/part';
/** The same for briefs as plain text. */
const NO_BRIEF = '/live/-/brief.txt';

/**
 * Public pages that are the same for every visitor, with their query parameters. Other pages are never cached.
 * tests/unit/cache/public-routes.test.ts compares the table with src/pages.
 */
const ROUTES: readonly Route[] = [
  { path: /^\/(?:about|api\/coverages\.json|follow|privacy|robots\.txt|404)?$/, parameters: {} },
  { path: /^\/sitemap(?:-news|s\/(?:pages|[12]\d{3}-\d{2}(?:-\d{1,4})?))?\.xml$/, parameters: {} },
  { path: /^(?:\/live\/(?<slug>[^/]+))?\/card\.png$/, parameters: {} },
  { path: /^\/live\/(?<slug>[^/]+)\/card\.jpg$/, parameters: {} },
  {
    path: /^\/(?:offline(?:\/desk)?|(?:desk-)?sw\.js|manifest\.webmanifest|opensearch\.xml)$/,
    parameters: {},
  },
  { path: /^\/live\/(?<slug>[^/]+)$/, parameters: VIEW_PARAMETERS },
  { path: /^\/live\/(?<slug>[^/]+)\/(?:[1-9]\d{0,8}|timeline|brief)$/, parameters: {} },
  { path: /^\/live\/(?<slug>[^/]+)\/brief\.txt$/, parameters: {}, missing: NO_BRIEF },
  {
    path: /^\/live\/(?<slug>[^/]+)\/[1-9]\d{0,8}\/map\/-?\d{1,2}(?:\.\d{1,5})?,-?\d{1,3}(?:\.\d{1,5})?,\d{1,2}\.svg$/,
    parameters: {},
  },
  { path: /^\/live\/(?<slug>[^/]+)\/feed\.(?:atom|json)$/, parameters: COVERAGE_FEED_PARAMETERS },
  { path: /^(?:\/topics\/[a-z0-9-]{1,80})?\/feed\.(?:atom|json)$/, parameters: LIST_FEED_PARAMETERS },
  { path: /^\/live\/(?<slug>[^/]+)\/changes$/, parameters: CHANGES_PARAMETERS, missing: NO_CHANGES },
  { path: /^\/live\/(?<slug>[^/]+)\/embed$/, parameters: {}, missing: NO_EMBED },
  {
    path: /^\/live\/(?<slug>[^/]+)\/part$/,
    parameters: PART_PARAMETERS,
    normalize: normalizePart,
    missing: NO_PART,
  },
  {
    path: /^\/oembed$/,
    parameters: OEMBED_PARAMETERS,
    normalize: normalizeOembed,
    about: ({ url }) => oembedSlug(url),
    missing: OEMBED_PATH,
  },
  { path: /^\/corrections$/, parameters: CORRECTIONS_PARAMETERS },
  { path: /^\/search$/, parameters: SEARCH_PARAMETERS, normalize: normalizeSearch },
  { path: /^\/tips$/, parameters: { coverage: /^[a-z0-9-]{3,80}$/ } },
  { path: /^\/(?:people|topics)\/[a-z0-9-]{1,80}$/, parameters: TIME_PAGE_PARAMETERS },
  { path: /^\/archive(?:\/\d{4})?$/, parameters: {} },
  { path: /^\/archive\/\d{4}\/\d{1,2}$/, parameters: PAGE_PARAMETERS },
  { path: /^\/photos\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(?:480|960|1600)$/, parameters: {} },
  { path: /^\/site-images\/[0-9a-f]{32}-[1-9]\d{0,3}x[1-9]\d{0,3}\.(?:png|svg)$/, parameters: {} },
  // Any other path in these folders is a missing page.
  {
    path: /^\/(?:live|people|topics|photos|site-images|sitemaps|archive)\/./,
    parameters: {},
    missing: MISSING,
  },
];

/** Returns the route of a URL; null for private pages and for URLs that the site's router has to handle. */
export function cacheRouteOf(url: string): CacheRoute | null {
  const cut = url.indexOf('?');
  const path = decodePath(url);
  // A malformed URL is a missing page.
  if (path === null) return MISSING_ROUTE;
  if (path.length > 1 && path.endsWith('/')) return null;
  for (const { path: pattern, parameters, normalize, about, missing = MISSING } of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const slug = match.groups?.slug;
    if (pattern === ROUTES.at(-1)?.path || (slug !== undefined && !isSlug(slug)))
      return { key: missing, missing };
    const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut));
    const picked = pickParameters(query, parameters);
    const values = normalize ? normalize(picked) : picked;
    return { key: pathWith(path, values), slug: about?.(values) ?? slug, missing };
  }
  return null;
}
