import type { APIRoute } from 'astro';
import { serveReaderMedia } from '../../../lib/http/media-responses.server.ts';
import { plainRefusal } from '../../../lib/http/responses.ts';
import { refusalOrThrow } from '../../../lib/i18n/refusals.ts';

/** A video or audio file of a published update. */
export const GET: APIRoute = async ({ locals, params, request }) => {
  try {
    return await serveReaderMedia({ request, params, drained: locals.drained });
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
