import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/data/session.server.ts';
import { serveDeskPhoto } from '../../../../lib/http/photo-responses.server.ts';
import { plainRefusal } from '../../../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../../../lib/i18n/refusals.ts';

/** A photo for staff, also before publication, and photos of tips. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return plainRefusal(refusal('signed_out'), locals.messages);
    return await serveDeskPhoto(backend, params);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
