import type { APIRoute } from 'astro';
import { serveReaderPhoto } from '../../../lib/http/photo-responses.server.ts';
import { plainRefusal } from '../../../lib/http/responses.ts';
import { refusalOrThrow } from '../../../lib/i18n/refusals.ts';

/** A photo of a published update. */
export const GET: APIRoute = async ({ locals, params, request }) => {
  try {
    return await serveReaderPhoto(locals.messages, params, request.headers.get('if-none-match'));
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
