/** Most bytes that a form or a call to the site's own pages may send. The longest update is under 50 KB. */
export const LARGEST_FORM_BYTES = 1024 * 1024;

/** Most bytes of a form that carries a photo where there is no script: 20 MB of photo, and the words. */
export const LARGEST_PHOTO_FORM_BYTES = 21 * 1024 * 1024;

/** Where such forms are posted to: a tip's, and the desk's for a photo that takes another's place. */
const TIP_FORM = /^\/tips(\?|$)/;
const DESK_PHOTO_FORM = /^\/desk\/photos\/[0-9a-f-]{36}(\?|$)/i;

/** Forms with a photo at once: whatever reads one keeps all of it in memory. */
export const PHOTO_FORMS_AT_ONCE = 6;
/** Of these, of one network. */
export const PHOTO_FORMS_OF_ONE = 2;
/** How long one may take in all: 20 MB at 300 kbit/s. */
export const PHOTO_FORM_MS = 600_000;

type Sent = { method?: string; url?: string };
export const isTipForm = ({ method, url = '' }: Sent) => method === 'POST' && TIP_FORM.test(url);
export const isPhotoForm = ({ method, url = '' }: Sent) =>
  method === 'POST' && (TIP_FORM.test(url) || DESK_PHOTO_FORM.test(url));

/** Slowest a client may be with the headers of a request. */
export const HEADERS_TIMEOUT_MS = 20_000;

/** Time limits of a body. */
export const BODY_LIMITS = {
  /** A form without a file, in milliseconds. */
  wholeMs: 60_000,
  /**
   * A body that may carry a file arrives at this rate at least, on average over each window: 60 KB a minute. That is two
   * fifths of GPRS as browsers simulate it (20 kbit/s upwards), so that a phone on 2G may lose its signal meanwhile.
   */
  bytesPerSecond: 1_000,
  windowMs: 60_000,
  /** What still arrives after the answer: 6 MiB take 2 minutes at 400 kbit/s. */
  answeredMs: 300_000,
};

/** Readers check for changes every 10 to 60 s: their connection outlives the pause. */
export const KEEP_ALIVE_MS = 75_000;

/** How long requests under way may take when the server stops. */
export const LAST_REQUESTS_MS = 5_000;

/**
 * A connection over which nothing moves either way for so long, while something is under way, is given up: whoever is
 * at its other end takes nothing of what is sent. The longest that the backend may be silent is a minute.
 */
export const STILL_MS = 150_000;

/**
 * Connections of one line (an IPv4 address, or an IPv6 /64) where no proxy stands in front: a carrier hides a town
 * behind one address, whose readers have a socket or two each, of which the backend takes 1,000.
 */
export const CONNECTIONS_OF_ONE = 4_000;

/** Requests that one connection may have under way: browsers send the next one when they have an answer. */
export const REQUESTS_OF_ONE = 16;
