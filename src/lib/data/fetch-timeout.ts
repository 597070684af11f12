import { Refused, refusal } from '../i18n/refusals.ts';

/** Milliseconds after which a line that says nothing counts as gone. */
const LONGEST_SILENCE_MS = 20_000;

/** As fetch, but that it gives up; the caller's own signal counts too. */
export const fetchInTime = fetchWithin(LONGEST_SILENCE_MS);

/** As fetchInTime, after so many milliseconds. */
export function fetchWithin(ms: number) {
  return (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const late = AbortSignal.timeout(ms);
    return fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late });
  };
}

/*
 * How long somebody who asked for a page may wait for the backend, in milliseconds: whatever the backend does, also when it
 * takes a connection and never answers, or begins an answer and never ends it.
 */

/** One question takes milliseconds. After this long nobody will answer, and a page in words is better than a wait. */
export const LONGEST_READ_MS = 5_000;

/** All questions of a page together: then the last copy is shown, or the page that says that there is none. */
export const LONGEST_PAGE_MS = 10_000;

/** What the site does for itself, or for somebody who has sent a file: a photo is some megabytes on its way. */
export const LONGEST_WORK_MS = 60_000;

/** @throws Refused `unavailable` when it is not told in time; it may be told after that, to nobody */
export async function inTime<Told>(told: Promise<Told>, ms: number): Promise<Told> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Refused(refusal('unavailable'))), Math.max(0, ms));
  return Promise.race([told, late.promise]).finally(() => clearTimeout(timer));
}
