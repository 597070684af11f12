/** Maximum size of a form or call without a photo, in bytes. The longest update is under 50 KB. */
export const MAX_FORM_BYTES = 1024 * 1024;

/** Maximum size of a form with a photo (used without scripts), in bytes: 20 MB for the photo, and the text fields. */
export const MAX_PHOTO_FORM_BYTES = 21 * 1024 * 1024;

/** Paths of forms with a photo: tips, and the desk's form that replaces a photo. */
const TIP_FORM = /^\/tips(\?|$)/;
const DESK_PHOTO_FORM = /^\/desk\/photos\/[0-9a-f-]{36}(\?|$)/i;

/** Photo forms in progress. Each is held in memory as a whole. */
export const MAX_PHOTO_FORMS = 6;
/** Photo forms in progress of one client network. */
export const MAX_PHOTO_FORMS_PER_CLIENT = 2;
/** Time limit of a photo form, in milliseconds: 20 MB at 300 kbit/s. */
export const PHOTO_FORM_MS = 600_000;

type Sent = { method?: string; url?: string };
export const isTipForm = ({ method, url = '' }: Sent) => method === 'POST' && TIP_FORM.test(url);
export const isPhotoForm = ({ method, url = '' }: Sent) =>
  method === 'POST' && (TIP_FORM.test(url) || DESK_PHOTO_FORM.test(url));

/** Time limit for the headers of a request, in milliseconds. */
export const HEADERS_TIMEOUT_MS = 20_000;

/** Time limits of request bodies. */
export const BODY_LIMITS = {
  /** For a form without a file, in milliseconds. */
  wholeMs: 60_000,
  /**
   * Minimum average rate of a body with a file, in each window: 60 KB a minute. That is two fifths of GPRS as browsers
   * simulate it (20 kbit/s upwards), so a phone on 2G may lose its signal for a while.
   */
  bytesPerSecond: 1_000,
  windowMs: 60_000,
  /** Time limit of the rest of a body after the response was sent: 6 MiB take 2 minutes at 400 kbit/s. */
  answeredMs: 300_000,
};

/** Longer than the pause between two checks of an open page (10 to 60 s), in milliseconds. */
export const KEEP_ALIVE_MS = 75_000;

/** Time for requests in progress when the server stops, in milliseconds. */
export const STOP_TIMEOUT_MS = 5_000;

/**
 * A connection without traffic in either direction during a request is closed after this time, in milliseconds. The
 * backend may be silent for up to a minute.
 */
export const IDLE_REQUEST_MS = 150_000;

/**
 * Connections of one client network without a proxy in front. A mobile carrier can put a town behind one address. Each
 * reader has one or two connections, and the backend takes 1,000 sockets.
 */
export const MAX_CONNECTIONS_PER_CLIENT = 4_000;

/** Concurrent requests on one connection. Browsers wait for each response. */
export const MAX_REQUESTS_PER_CONNECTION = 16;
