import { declareRefusal } from '../http/cache.ts';
import { STATUS } from '../http/errors.ts';
import { reader } from '../text/reader.ts';

export function xmlAnswer(xml: string, headers: Headers): Response {
  headers.set('Content-Type', 'application/xml; charset=utf-8');
  return new Response(xml, { headers });
}

/** Who asks for a part that is not there is told so in a word: it is no person. */
export function noPart(cacheTags: string[]): Response {
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8' });
  declareRefusal(headers, 'not_found', cacheTags);
  return new Response(reader.errors.not_found.title, { status: STATUS.not_found, headers });
}
