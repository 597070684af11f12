import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS } from '../i18n/cli.ts';
import { tips } from '../i18n/en/tips.ts';
import { refuse } from './errors.ts';
import { clientOf } from './forwarding.ts';

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
const PHOTO_FORM_MS = 600_000;

type Sent = { method?: string; url?: string };
const isTipForm = ({ method, url = '' }: Sent) => method === 'POST' && TIP_FORM.test(url);
export const isPhotoForm = ({ method, url = '' }: Sent) =>
  method === 'POST' && (TIP_FORM.test(url) || DESK_PHOTO_FORM.test(url));

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

/**
 * Returns a check that decides whether the body of a request to the site's pages is accepted. It refuses the others.
 */
export function limitForms(
  longest = PHOTO_FORM_MS,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  /** The client network of each photo form in progress; undefined for one whose network is not known. */
  const sending: (string | undefined)[] = [];
  return (request, response) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const isTip = isTipForm(request);
    if (length > (isPhotoForm(request) ? MAX_PHOTO_FORM_BYTES : MAX_FORM_BYTES)) {
      refuse(request, response, 413, isTip ? tips.plain.tooLarge : REFUSALS.tooLarge, true);
      return false;
    }
    if (length > MAX_FORM_BYTES) {
      const client = clientOf(request);
      const ofOne = client === undefined ? 0 : sending.filter((other) => other === client).length;
      if (sending.length >= MAX_PHOTO_FORMS || ofOne >= MAX_PHOTO_FORMS_PER_CLIENT) {
        response.setHeader('retry-after', '60');
        refuse(request, response, 503, isTip ? tips.plain.unavailable : REFUSALS.unavailable, true);
        return false;
      }
      sending.push(client);
      const timeout = setTimeout(() => request.complete || request.destroy(), longest).unref();
      response.once('close', () => {
        clearTimeout(timeout);
        sending.splice(sending.indexOf(client), 1);
      });
    }
    // Astro has a single size limit for all pages. If the request has a `body`, Astro reads that instead of the stream.
    if ('transfer-encoding' in request.headers) {
      Object.assign(request, { body: limitBytes(request, MAX_FORM_BYTES) });
    }
    return true;
  };
}

/** Passes the chunks of a body without a declared length. Throws above `most` bytes. */
async function* limitBytes(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    // The wording of Astro's own error, which src/lib/data/forms.ts recognises.
    if (bytes > most) throw new Error(`Body size limit exceeded: received more than ${most} bytes`);
    yield piece;
  }
}

/** The same response that Node sends on a request timeout. */
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * Ends a request whose body arrives too slowly. Node has a single timeout for all requests of a server, which is too
 * short for a photo on a poor mobile connection.
 * @param carriesFile the body only has to keep the minimum rate; any other must be complete within `wholeMs`
 */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  carriesFile: boolean,
  limits = BODY_LIMITS,
): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let seen = socket.bytesRead;
  let answeredAt: number | undefined;

  const isFastEnough = () => {
    const bytes = socket.bytesRead - seen;
    seen = socket.bytesRead;
    if (response.writableFinished) answeredAt ??= performance.now();
    const isLate = answeredAt !== undefined && performance.now() - answeredAt >= limits.answeredMs;
    return !isLate && bytes >= (limits.bytesPerSecond * limits.windowMs) / 1000;
  };
  const check = () => {
    if (request.complete) stop();
    else if (!carriesFile || !isFastEnough()) end();
  };
  const checking = setInterval(check, carriesFile ? limits.windowMs : limits.wholeMs).unref();
  const end = () => {
    if (!response.headersSent) socket.write(TIMED_OUT);
    socket.destroySoon();
  };
  const stop = () => {
    clearInterval(checking);
    request.off('close', stop);
    socket.off('close', stop);
  };
  // Once it is answered, a request emits no `close` when its client leaves.
  request.once('close', stop);
  socket.once('close', stop);
}

const hasBody = ({ headers }: IncomingMessage) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
