import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS } from '../text/commands.ts';
import { tips } from '../text/tips.ts';
import { isPhotoForm, LARGEST_FORM_BYTES, LARGEST_PHOTO_FORM_BYTES, PHOTO_FORMS_AT_ONCE } from './bounds.ts';
import { refuse } from './faults.ts';

/** Says of each request to the site's pages whether its body may come; one that may not is refused. */
export function boundForms(): (request: IncomingMessage, response: ServerResponse) => boolean {
  let photoForms = 0;
  return (request, response) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const isTip = isPhotoForm(request);
    if (length > (isTip ? LARGEST_PHOTO_FORM_BYTES : LARGEST_FORM_BYTES)) {
      refuse(request, response, 413, isTip ? tips.plain.tooLarge : REFUSALS.tooLarge, true);
      return false;
    }
    if (length > LARGEST_FORM_BYTES) {
      if (photoForms >= PHOTO_FORMS_AT_ONCE) {
        response.setHeader('retry-after', '60');
        refuse(request, response, 503, tips.plain.unavailable, true);
        return false;
      }
      photoForms++;
      response.once('close', () => photoForms--);
    }
    // Astro knows one limit for all pages, the largest, and reads the body from here where there is one.
    if ('transfer-encoding' in request.headers) {
      Object.assign(request, { body: atMost(request, LARGEST_FORM_BYTES) });
    }
    return true;
  };
}

/** The bytes of a body without a length, and an error instead of more than `most` of them. */
async function* atMost(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    // The words that Astro says it with, which src/lib/http/forms.ts knows.
    if (bytes > most) throw new Error(`Body size limit exceeded: received more than ${most} bytes`);
    yield piece;
  }
}
