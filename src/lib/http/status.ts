import { STATUS_CODES } from 'node:http';
import { declareRefusal } from './cache.ts';
import { type Refusal, STATUS } from './errors.ts';

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
  setStatus(response, STATUS[code]);
  declareRefusal(response.headers, code, cacheTags);
}
