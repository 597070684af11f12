import { STATUS_CODES } from 'node:http';
import {
  newRequestId,
  requestId,
  underRequest,
} from '../../../packages/embedded-supabase/src/log/request-id.ts';
import { log } from '../data/log.ts';
import { HTTP_STATUS } from '../domain/errors.ts';
import { SERVER } from '../i18n/cli.ts';
import { type Refusal, refusal } from '../i18n/refusals.ts';
import { cacheControl, declareRefusal, NO_STORE } from './cache-policy.ts';

/** A JSON answer that nobody keeps. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'private, no-store', ...headers } });
}

/** A refusal as the site's own endpoints say it: `{ error: { code, sentence, … } }`. */
export function refusalAnswer({ status, retryAfter, ...error }: Refusal): Response {
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return json({ error }, status, wait);
}

/** A refusal to who asked for no page, but for a picture or a feed: a sentence, for people who open its address. */
export function plainRefusal({ status, sentence, retryAfter }: Refusal): Response {
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': NO_STORE });
  if (retryAfter) headers.set('Retry-After', String(Math.ceil(retryAfter)));
  return new Response(sentence, { status, headers });
}

/** The same of what is not there, or not any more, which caches may keep as a page that says so. */
export function plainAbsence(code: 'not_found' | 'gone', cacheTags: string[]): Response {
  const answer = plainRefusal(refusal(code));
  declareRefusal(answer.headers, code, cacheTags);
  return answer;
}

/** Gives a page's answer a status other than 200, with its own phrase. */
export function setStatus(response: { status?: number; statusText?: string }, status: number): void {
  response.status = status;
  response.statusText = STATUS_CODES[status] ?? '';
}

/** Gives the answer of a page that was refused its status, and when to try again where that is known. */
export function setRefusal(
  response: { status?: number; statusText?: string; headers: Headers },
  { status, retryAfter }: Refusal,
): void {
  setStatus(response, status);
  if (retryAfter) response.headers.set('Retry-After', String(Math.ceil(retryAfter)));
}

/** Gives the answer of a page that is not there, or not any more, its status, and caches their word on it. */
export function setAbsence(
  response: { status?: number; statusText?: string; headers: Headers },
  code: 'not_found' | 'gone',
  cacheTags: string[],
): void {
  setStatus(response, HTTP_STATUS[code]);
  declareRefusal(response.headers, code, cacheTags);
}

/** A redirect to another path of this site. Caches may keep it as long as a page, browsers never for good. */
export function redirectTo(path: string, status: 301 | 302, cacheTags: string[]): Response {
  const headers = { Location: path, 'Cache-Control': cacheControl('page'), 'Cache-Tag': cacheTags.join(',') };
  return new Response(null, { status, headers });
}

/**
 * Puts a fault of ours into the log.
 * @returns the id that it has there, which is all that anybody else is told: that of the request
 */
export function logFault(error: unknown): string {
  const id = requestId() ?? newRequestId();
  underRequest(id, () => log.error(SERVER.fault, { error }));
  return id;
}
