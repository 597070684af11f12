import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/data/session.server.ts';
import { serveOwnTipPhoto } from '../../../../lib/http/photo-responses.server.ts';
import { plainRefusal } from '../../../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../../../lib/i18n/refusals.ts';

/** The photo of a tip, for the signed-in person who sent it. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return plainRefusal(refusal('signed_out'), locals.messages);
    return await serveOwnTipPhoto(backend, params.id);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
