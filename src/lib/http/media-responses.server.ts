import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { type ByteRange, openMediaObject, readMediaFile } from '../data/media-objects.server.ts';
import { readerClient } from '../data/reader-client.server.ts';
import type { BackendClient } from '../data/result.ts';
import { type MediaFile, mediaFileOf } from '../domain/media-files.ts';
import { Refused } from '../i18n/refusals.ts';
import { matchesEntityTag } from './request.ts';
import { withBackpressure } from './responses.ts';
import { ANY_EMBEDDER } from './security-headers.ts';

type MediaRequest = {
  request: Request;
  /** The parameters of the file's address. */
  params: { id?: string; file?: string };
  /** Resolves when the client has received what was written. */
  drained?: (() => Promise<void>) | undefined;
};

/**
 * Serves a file to readers if a published update shows it now. It is sent as a stream, in full or in part, and no cache
 * of ours stores it. Browsers and proxies ask again before they use a stored copy, so that a withdrawn file is gone.
 * @throws Refused `not_found` alike for missing, unpublished and deleted files
 */
export const serveReaderMedia = (request: MediaRequest): Promise<Response> =>
  serveMedia(readerClient(), request, 'public, no-cache');

/**
 * Serves a file to the staff of its desk, and to its uploader, with their own permissions.
 * @throws Refused
 */
export const serveDeskMedia = (backend: BackendClient, request: MediaRequest): Promise<Response> =>
  serveMedia(backend, request, 'private, no-cache');

/** Browsers show a file that is opened as a page with an element and styles of their own. */
const POLICY =
  "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

async function serveMedia(
  backend: BackendClient,
  { request, params, drained = async () => {} }: MediaRequest,
  cacheControl: string,
): Promise<Response> {
  const path = `/media/${params.id}/${params.file}`;
  const file = mediaFileOf(path);
  const stored = file && (await readMediaFile(backend, file.id));
  // Readers see published files only.
  const isVisible = stored?.path === path && (stored.published || cacheControl.startsWith('private'));
  if (!file || !isVisible) throw new Refused('not_found');
  // The bytes of a file never change.
  const etag = `"${file.id}"`;
  const headers = new Headers({
    'Content-Type': file.type,
    'Accept-Ranges': 'bytes',
    'Cache-Control': cacheControl,
    'Content-Security-Policy': POLICY,
    ETag: etag,
    ...(cacheControl.startsWith('private') ? {} : ANY_EMBEDDER),
  });
  const known = request.headers.get('if-none-match');
  if (known && matchesEntityTag(known, etag)) return new Response(null, { status: 304, headers });
  const range = requestedRange(request.headers, file, etag);
  if (range === 'unsatisfiable') {
    headers.set('Content-Range', `bytes */${file.bytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  headers.set('Content-Length', `${end - start + 1}`);
  if (range) headers.set('Content-Range', `bytes ${start}-${end}/${file.bytes}`);
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  const bytes = Readable.fromWeb((await openMediaObject(file.id, range)) as WebStream);
  return new Response(withBackpressure(bytes, drained), { status, headers });
}

/** Returns the range that a request names (RFC 9110, 14.2); undefined for the whole file, also for several ranges. */
function requestedRange(
  headers: Headers,
  { bytes }: MediaFile,
  etag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.get('range')?.trim() ?? '') ?? [];
  const condition = headers.get('if-range');
  if (from === undefined || to === undefined || from + to === '') return undefined;
  if (condition !== null && condition !== etag) return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start <= end ? { start, end } : 'unsatisfiable';
}
