import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/data/session.server.ts';
import { serveToDesk } from '../../../../lib/http/photo-responses.server.ts';
import { plainRefusal } from '../../../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../../../lib/i18n/refusals.ts';

/** A photo as the desk may see it: before it is published too, and those that came with tips. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return plainRefusal(refusal('signed_out'));
    return await serveToDesk(backend, params);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error));
  }
};
