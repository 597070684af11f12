import { Refused } from '../i18n/refusals.ts';

/** Milliseconds after which a connection without a response counts as broken. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** fetch with a timeout. Also obeys the caller's own signal. */
export const fetchWithTimeout = fetchWithin(RESPONSE_TIMEOUT_MS);

/** Returns fetch with a timeout in milliseconds. */
export function fetchWithin(ms: number) {
  return (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const timeout = AbortSignal.timeout(ms);
    return fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout });
  };
}

/*
 * Timeouts in milliseconds for calls to the backend while a visitor waits. They also cover a backend that accepts a
 * connection and never answers, or never finishes an answer.
 */

/** For one query, which normally takes milliseconds. Afterwards an error page is better than waiting. */
export const READ_TIMEOUT_MS = 5_000;

/** For all queries of a page. Afterwards the visitor gets the stale copy, or an error page. */
export const PAGE_TIMEOUT_MS = 10_000;

/** For the site's own jobs and for uploads: a photo has several megabytes. */
export const JOB_TIMEOUT_MS = 60_000;

/**
 * Waits for a promise for at most `ms` milliseconds. A later result is ignored.
 * @throws Refused `unavailable`
 */
export async function withDeadline<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  if (await settlesWithin(Math.max(0, ms), promise)) return promise;
  throw new Refused('unavailable');
}

/** Resolves with true when the promise settles within `ms` milliseconds, else with false. It never rejects. */
export async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, ms, false);
  const isSettled = () => true;
  const isInTime = await Promise.race([promise.then(isSettled, isSettled), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
