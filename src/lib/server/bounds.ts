/** Most bytes that a form or a call to the site's own pages may send. The longest update is under 50 KB. */
export const LARGEST_FORM_BYTES = 1024 * 1024;

/** Slowest a client may be with the headers of a request, and with the whole of it. */
export const HEADERS_TIMEOUT_MS = 20_000;
export const REQUEST_TIMEOUT_MS = 60_000;

/** Readers check for changes every 10 to 60 s: their connection outlives the pause. */
export const KEEP_ALIVE_MS = 75_000;

/** How long requests under way may take when the server stops. */
export const LAST_REQUESTS_MS = 5_000;
