import { declareRefusal, NO_STORE } from './cache.ts';
import { type Refusal, refusal } from './errors.ts';

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
