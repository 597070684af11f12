import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { newRequestId, requestId, runWithRequestId } from 'embedded-supabase';
import { log } from '../data/log.ts';
import { type OgImage, serverBridge } from '../data/server-bridge.ts';
import { HTTP_STATUS } from '../domain/errors.ts';
import { SERVER } from '../i18n/cli.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusal, sentenceOf } from '../i18n/refusals.ts';
import { ogImageDigest, ogImageType } from '../publishing/og-image.ts';
import { cacheControl, declarePage, declareRefusal, NO_STORE } from './cache-policy.ts';

/** A JSON response that is not cached. */
export function jsonResponse(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'private, no-store', ...headers } });
}

/** A refusal as JSON, as the site's endpoints return it: `{ error: { code, sentence, … } }`. */
export function refusalResponse(refusal: Refusal, messages: Messages): Response {
  const { code, status, retryAfter, reason, field, version, by } = refusal;
  const error = { code, sentence: sentenceOf(refusal, messages), reason, field, version, by };
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return jsonResponse({ error }, status, wait);
}

/** A refusal as a sentence, for requests that expect a picture or a feed. */
export function plainRefusal(refusal: Refusal, messages: Messages): Response {
  const { status, retryAfter } = refusal;
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': NO_STORE });
  if (retryAfter) headers.set('Retry-After', String(Math.ceil(retryAfter)));
  return new Response(sentenceOf(refusal, messages), { status, headers });
}

/**
 * A stream that reads the next chunk when the client has received the previous one.
 * @param drained resolves when the client has received what was written
 */
export function withBackpressure(source: Readable, drained: () => Promise<void>): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        await drained();
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A missing or withdrawn resource as a sentence. Caches may store it. */
export function plainAbsence(messages: Messages, code: 'not_found' | 'gone', cacheTags: string[]): Response {
  const answer = plainRefusal(refusal(code), messages);
  declareRefusal(answer.headers, code, cacheTags);
  return answer;
}

/** Sets the status of a page's response, with its own phrase. */
export function setStatus(response: { status?: number; statusText?: string }, status: number): void {
  response.status = status;
  response.statusText = STATUS_CODES[status] ?? '';
}

/** Sets status and `Retry-After` of a refused page. */
export function setRefusal(
  response: { status?: number; statusText?: string; headers: Headers },
  { status, retryAfter }: Refusal,
): void {
  setStatus(response, status);
  if (retryAfter) response.headers.set('Retry-After', String(Math.ceil(retryAfter)));
}

/** Sets status and cache headers of a missing or withdrawn page. */
export function setAbsence(
  response: { status?: number; statusText?: string; headers: Headers },
  code: 'not_found' | 'gone',
  cacheTags: string[],
): void {
  setStatus(response, HTTP_STATUS[code]);
  declareRefusal(response.headers, code, cacheTags);
}

/** Redirects to another path of this site. Shared caches may store it like a page; browsers always revalidate. */
export function redirectTo(path: string, status: 301 | 302, cacheTags: string[]): Response {
  const headers = { Location: path, 'Cache-Control': cacheControl('page'), 'Cache-Tag': cacheTags.join(',') };
  return new Response(null, { status, headers });
}

/**
 * Logs an error that the client did not cause.
 * @returns its id in the log, the only detail that the client gets: that of the request
 */
export function logInternalError(error: unknown): string {
  const id = requestId() ?? newRequestId();
  runWithRequestId(id, () => log.error(SERVER.fault, { error }));
  return id;
}

/**
 * Serves an Open Graph image, cached and purged like the page that it represents.
 * @param readPhoto reads the file of its photo
 * @throws Refused when it cannot be drawn now
 */
export async function serveOgImage(
  card: OgImage,
  cacheTags: string[],
  readPhoto?: () => Promise<Uint8Array | null>,
): Promise<Response> {
  const picture = await serverBridge.renderOgImage?.(card, readPhoto);
  if (!picture) throw new Refused('unavailable');
  const headers = new Headers({ 'Content-Type': ogImageType(card) });
  declarePage(headers, cacheTags, ogImageDigest(card));
  return new Response(new Uint8Array(picture), { headers });
}
