import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { matchesEntityTag } from '../../http/request.ts';
import { brotliText, FIRST_ROUND_TRIP } from '../../publishing/brotli.server.ts';

/** How long a response may be used, in milliseconds after its rendering began (from its Cache-Control header). */
type Lifetime = {
  /** `s-maxage`: may be served as it is. */
  fresh: number;
  /** Plus `stale-while-revalidate`: may be served while a new one is rendered. */
  revalidating: number;
  /** May be served when rendering fails. */
  onError: number;
};

/**
 * Other caches may use `stale-if-error` for a minute only. This cache keeps the site readable for a day when the
 * backend is down, because invalidation tells it about removed content.
 */
const STALE_IF_ERROR_MS = 86_400_000;

/**
 * Parses the lifetime for shared caches from Cache-Control (RFC 9111 and RFC 5861). Null when they must not store the
 * response.
 */
function readLifetime(cacheControl: string | undefined): Lifetime | null {
  if (!cacheControl || /(^|[\s,])(no-store|private|no-cache)\b/.test(cacheControl)) return null;
  const milliseconds = (name: string) =>
    Number(new RegExp(`(?:^|[\\s,])${name}=(\\d{1,9})`).exec(cacheControl)?.[1] ?? 0) * 1000;
  const fresh = milliseconds('s-maxage');
  if (fresh === 0) return null;
  return {
    fresh,
    revalidating: fresh + milliseconds('stale-while-revalidate'),
    onError: milliseconds('stale-if-error') > 0 ? fresh + STALE_IF_ERROR_MS : fresh,
  };
}

/**
 * Header fields with the cache policy for clients and CDNs. `stale-while-revalidate` is sent to CDNs only (RFC 9213):
 * Firefox would apply it and show a reader who checks for updates the old page.
 */
export function policyFields(cacheControl: string): string[] {
  const forBrowsers = cacheControl.replace(/, stale-while-revalidate=\d+/, '');
  if (forBrowsers === cacheControl) return ['cache-control', cacheControl];
  const forCdns = cacheControl.replace('max-age=0, s-maxage=', 'max-age=');
  return ['cache-control', forBrowsers, 'cdn-cache-control', forCdns];
}

/**
 * One body in several encodings. `best`: `br` is compressed as far as possible. `gzip` is added for the first client
 * that does not accept Brotli, which nearly every reader's does.
 */
type Bodies = { identity: Buffer; gzip?: Buffer; br?: Buffer; best?: true };

/** A rendered response. Header names are in lower case. */
export type RenderedResponse = { status: number; headers: Record<string, string>; bodies: Bodies };

/** When a rendering began. */
type RenderingStart = {
  /** On the cache's monotonic clock, in milliseconds. The response includes all changes that the site knew then. */
  madeAt: number;
  /** The same moment as an HTTP date. */
  date: string;
  /** Sequential number of the rendering. */
  order: number;
};

/** A rendered response with its cache metadata. */
export type CachedResponse = RenderedResponse &
  RenderingStart & {
    /** Null when the response must not be stored. */
    lifetime: Lifetime | null;
    /** Cache tags of the content that the response shows. */
    tags: string[];
    /** When one of its tags was first invalidated, on the cache's clock; null while none was. */
    invalidatedAt: number | null;
    /** How often the response was served from the store. */
    served: number;
  };

export function cachedResponseOf(rendered: RenderedResponse, start: RenderingStart): CachedResponse {
  const { status, headers } = rendered;
  // Responses with a status of 500 and above or with a cookie are never shared, whatever their header says.
  const isShareable = status < 500 && !headers['set-cookie'];
  const tags = (headers['cache-tag'] ?? '').split(',').filter(Boolean);
  const lifetime = isShareable ? readLifetime(headers['cache-control']) : null;
  return { ...rendered, ...start, lifetime, tags, invalidatedAt: null, served: 0 };
}

export const isFresh = ({ lifetime, madeAt, invalidatedAt }: CachedResponse, now: number) =>
  lifetime !== null && invalidatedAt === null && now - madeAt < lifetime.fresh;

/** Whether it is not invalidated, and may be served once more while a new one is rendered. */
export const isRevalidatable = ({ lifetime, madeAt, invalidatedAt }: CachedResponse, now: number) =>
  lifetime !== null && invalidatedAt === null && now - madeAt < lifetime.revalidating;

/**
 * How long after its first invalidation a page may be served while the new one is rendered. Readers who arrive within
 * this time do not wait. In milliseconds.
 */
const PREVIOUS_COPY_MS = 500;

/** Whether it was invalidated a moment ago, and may be served instead of the page that is being rendered. */
export const isPreviousCopy = ({ lifetime, madeAt, invalidatedAt }: CachedResponse, now: number) =>
  lifetime !== null &&
  invalidatedAt !== null &&
  lifetime.revalidating > lifetime.fresh &&
  now - madeAt < lifetime.revalidating &&
  now - invalidatedAt < PREVIOUS_COPY_MS;

/** Whether it is kept after an invalidation, because it may be served when rendering fails. */
export const survivesInvalidation = ({ lifetime }: CachedResponse) =>
  lifetime !== null && lifetime.onError > lifetime.fresh;

/** Whether it may be served because rendering failed. */
export const isUsableOnError = ({ lifetime, madeAt }: CachedResponse, now: number) =>
  lifetime !== null && now - madeAt < lifetime.onError;

/** Whether it expires within seconds, like a changes response. */
const isShortLived = ({ lifetime }: CachedResponse) =>
  lifetime !== null && lifetime.onError <= SHORT_LIFETIME_MS;

/** Whether it lives long enough that recompressing its body is worth it. */
export const isRecompressible = ({ bodies, lifetime, invalidatedAt }: CachedResponse) =>
  bodies.br !== undefined &&
  !bodies.best &&
  invalidatedAt === null &&
  lifetime !== null &&
  lifetime.revalidating > lifetime.fresh;

const SHORT_LIFETIME_MS = 2_000;

/** Small bodies are also stored in the form in which they are sent, which doubles their size. */
const isSmall = (body: Buffer) => body.length <= 8_000;

/**
 * Estimated memory of a stored response, in bytes. Counts its gzip form in advance, with the size of the Brotli form.
 */
export function sizeOf(copy: CachedResponse, key: string): number {
  const { identity, br } = copy.bodies;
  let size = 2_000 + key.length * 2;
  for (const [name, value] of Object.entries(copy.headers)) size += (name.length + value.length) * 4;
  for (const body of [identity, br, br]) if (body) size += body.length * (isSmall(body) ? 2 : 1);
  return size;
}

/** `stale`: may be served when rendering fails. `gone`: is never served again. */
export type PurgeMode = 'stale' | 'gone';

/** Size and load of a cache. */
export type CacheStats = {
  copies: number;
  bytes: number;
  /** Responses evicted for lack of memory since the start. */
  evicted: number;
  rendering: number;
  waiting: number;
  /** Renderings rejected by the queue since the start. */
  refused: number;
};

/** Bodies below this size are not compressed: they fit into one packet anyway. In bytes. */
const MIN_COMPRESSED_BYTES = 500;

/** Up to this size the best compression takes at most two milliseconds, so it is used at once. In bytes. */
const MAX_BEST_BYTES = 4_000;

const TEXT = /^text\/|[/+](json|xml|manifest\+json|javascript)(;|$)/;

/** The header fields of a page have at most about this size, in bytes. */
const HEAD_BYTES = 1_150;
/** Factor by which brotli 11 is smaller than brotli 5, at least. */
const BEST_FACTOR = 1.08;

/**
 * Compresses a text body with brotli 5, on the thread pool. Brotli 11 is used at once for small bodies, and for pages
 * that leave the first round trip by so little that it brings them back: the size by brotli 5 varies by 4 % with
 * chance.
 */
export async function compress(identity: Buffer, contentType = ''): Promise<Bodies> {
  if (identity.length < MIN_COMPRESSED_BYTES || !TEXT.test(contentType)) return { identity };
  if (identity.length <= MAX_BEST_BYTES) return compressBest({ identity });
  const br = await brotliText(identity, 5);
  const excess = br.length / (FIRST_ROUND_TRIP - HEAD_BYTES);
  return excess > 1 && excess < BEST_FACTOR ? compressBest({ identity }) : { identity, br };
}

/** Recompresses a body with brotli 11, which takes about ten times as long. */
export async function compressBest(bodies: Bodies): Promise<Bodies> {
  return { ...bodies, br: await brotliText(bodies.identity, 11), best: true };
}

/** Encodings from the smallest to the largest. The order decides between encodings that a client weights equally. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * Parsed headers. Browsers send few different ones; the limit (in characters) bounds the memory that made-up headers
 * can take.
 */
const parsedHeaders = new LRUCache<string, readonly Encoding[]>({
  maxSize: 10_000,
  sizeCalculation: (_, header) => header.length + 1,
});

const IDENTITY_ONLY: readonly Encoding[] = ['identity'];

/** The encodings that a client accepts by its Accept-Encoding header (RFC 9110, 12.5.3), best first. Never empty. */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined) return IDENTITY_ONLY;
  const known = parsedHeaders.get(header);
  if (known) return known;
  const read = readEncodings(header);
  parsedHeaders.set(header, read);
  return read;
}

function readEncodings(header: string): readonly Encoding[] {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    if (name)
      weights.set(name === 'x-gzip' ? 'gzip' : name, /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0);
  }
  const any = weights.get('*');
  // Encodings that are not listed are refused, except identity: it is the last choice unless it is refused explicitly.
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? any ?? (encoding === 'identity' ? Number.MIN_VALUE : 0);
  const accepted = ENCODINGS.filter((encoding) => weightOf(encoding) > 0);
  return accepted.length > 0 ? accepted.sort((a, b) => weightOf(b) - weightOf(a)) : IDENTITY_ONLY;
}

/**
 * Omits `Connection: keep-alive`, which is the default of HTTP/1.1 but not of HTTP/1.0. Used where the header would be
 * a large part of a short response.
 */
export function omitConnection(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader('connection');
}

/** A response ready to be written: header names and values alternate. */
type SerializedResponse = { headers: string[]; body: Buffer | string };

/** Serialised per encoding on first use, and again each second because `Age` changes, and after an invalidation. */
type SerializedForms = Partial<Record<Encoding | 'held', SerializedResponse>> & {
  second: number;
  invalidatedAt: number | null;
};

const formsOf = new WeakMap<CachedResponse, SerializedForms>();

/** Connection-level fields, and fields that are written again for each response. */
const OMITTED_FIELDS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'set-cookie',
  'age',
];

/** Header fields of a 304. Security policies are omitted because they belong to the stored response of the client. */
const NOT_MODIFIED_FIELDS = ['cache-control', 'cache-tag', 'etag'];

/** Short-lived responses omit their tags: they expire before a purge could reach them. */
const TAGS_FIELD = 'cache-tag';

/** Sends a stored response: in an encoding that the client accepts, without a body for HEAD, or as 304. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  copy: CachedResponse,
  now: number,
): void {
  const ifNoneMatch = fieldOf(request, 'if-none-match');
  const isNotModified =
    ifNoneMatch !== undefined && copy.status === 200 && matchesEntityTag(ifNoneMatch, copy.headers.etag);
  const { headers, body } = formOf(copy, isNotModified ? 'held' : encodingOf(request, copy), now);
  if (isShortLived(copy)) omitConnection(response);
  response.writeHead(isNotModified ? 304 : copy.status, headers);
  // Node drops the body of a response to HEAD and of a 304. Strings hold one byte per character.
  response.end(body, 'latin1');
}

/** Reads one request header from the raw list. Building `request.headers` takes longer than sending the response. */
function fieldOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  let value: string | undefined;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const field = rawHeaders[n] as string;
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    value = value === undefined ? rawHeaders[n + 1] : `${value}, ${rawHeaders[n + 1]}`;
  }
  return value;
}

function encodingOf(request: IncomingMessage, { bodies }: CachedResponse): Encoding {
  if (!bodies.br) return 'identity';
  return acceptedEncodings(fieldOf(request, 'accept-encoding'))[0] ?? 'identity';
}

function formOf(copy: CachedResponse, name: Encoding | 'held', now: number): SerializedResponse {
  const second = copy.lifetime ? Math.max(0, Math.floor((now - copy.madeAt) / 1000)) : 0;
  let forms = formsOf.get(copy);
  if (forms?.second !== second || forms.invalidatedAt !== copy.invalidatedAt) {
    forms = { second, invalidatedAt: copy.invalidatedAt };
    formsOf.set(copy, forms);
  }
  forms[name] ??= serialize(copy, name, second);
  return forms[name];
}

/** The body in an encoding. Compressed bodies have one in each. */
function bodyOf({ bodies }: CachedResponse, encoding: Encoding): Buffer {
  if (encoding === 'gzip' && bodies.br) bodies.gzip ??= gzipSync(bodies.identity);
  return bodies[encoding] ?? bodies.identity;
}

/** Other caches must not use an invalidated response again: they may have been purged a moment ago. */
const policyOf = ({ invalidatedAt }: CachedResponse, cacheControl: string) =>
  invalidatedAt === null ? policyFields(cacheControl) : ['cache-control', 'no-cache'];

function serialize(copy: CachedResponse, name: Encoding | 'held', second: number): SerializedResponse {
  const headers: string[] = [];
  for (const [field, value] of Object.entries(copy.headers)) {
    if (field === TAGS_FIELD && isShortLived(copy)) continue;
    if (name === 'held' ? !NOT_MODIFIED_FIELDS.includes(field) : OMITTED_FIELDS.includes(field)) continue;
    headers.push(...(field === 'cache-control' ? policyOf(copy, value) : [field, value]));
  }
  if (copy.bodies.br) headers.push('vary', 'accept-encoding');
  headers.push('date', copy.date);
  const body = name === 'held' ? Buffer.alloc(0) : bodyOf(copy, name);
  if (name === 'br' || name === 'gzip') headers.push('content-encoding', name);
  if (name !== 'held') headers.push('content-length', String(body.length));
  if (second > 0) headers.push('age', String(second));
  // Sending a small body as a string lets Node write it together with the headers, which outweighs the copy.
  return { headers, body: isSmall(body) ? body.toString('latin1') : body };
}
