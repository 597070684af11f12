import type { IncomingMessage, ServerResponse } from 'node:http';
import { network } from '../http/request.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { tips } from '../i18n/tips.ts';
import { refuse } from './errors.ts';
import {
  BODY_LIMITS,
  isPhotoForm,
  isTipForm,
  MAX_FORM_BYTES,
  MAX_PHOTO_FORM_BYTES,
  MAX_PHOTO_FORMS,
  MAX_PHOTO_FORMS_PER_CLIENT,
  PHOTO_FORM_MS,
} from './request-bounds.ts';

/**
 * Returns a check that decides whether the body of a request to the site's pages is accepted. It refuses the others.
 */
export function limitForms(
  longest = PHOTO_FORM_MS,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  /** The client network of each photo form in progress. */
  const sending: string[] = [];
  return (request, response) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const isTip = isTipForm(request);
    if (length > (isPhotoForm(request) ? MAX_PHOTO_FORM_BYTES : MAX_FORM_BYTES)) {
      refuse(request, response, 413, isTip ? tips.plain.tooLarge : REFUSALS.tooLarge, true);
      return false;
    }
    if (length > MAX_FORM_BYTES) {
      const client = network(String(request.headers['x-forwarded-for'] ?? ''));
      const ofOne = sending.filter((other) => other === client).length;
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
    if (request.complete) clearInterval(checking);
    else if (!carriesFile || !isFastEnough()) end();
  };
  const checking = setInterval(check, carriesFile ? limits.windowMs : limits.wholeMs).unref();
  const end = () => {
    if (!response.headersSent) socket.write(TIMED_OUT);
    socket.destroySoon();
  };
  request.once('close', () => clearInterval(checking));
}

const hasBody = ({ headers }: IncomingMessage) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
