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
