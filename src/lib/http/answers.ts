import type { Refusal } from './errors.ts';

/** A JSON answer that nobody keeps. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'private, no-store', ...headers } });
}

/** A refusal as the site's own endpoints say it: `{ error: { code, sentence, … } }`. */
export function refusalAnswer({ status, retryAfter, ...error }: Refusal): Response {
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return json({ error }, status, wait);
}
