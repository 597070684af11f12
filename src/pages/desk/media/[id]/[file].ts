import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/data/session.server.ts';
import { serveDeskMedia } from '../../../../lib/http/media-responses.server.ts';
import { plainRefusal } from '../../../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../../../lib/i18n/refusals.ts';

/** A video or audio file for staff, also before publication. */
export const GET: APIRoute = async ({ locals, params, request }) => {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return plainRefusal(refusal('signed_out'), locals.messages);
    return await serveDeskMedia(backend, { request, params, drained: locals.drained });
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
