import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/auth/session.server.ts';
import { refusal, refusalOrThrow } from '../../../../lib/http/errors.ts';
import { inWords, serveToDesk } from '../../../../lib/photos/serve.server.ts';

/** A photo as the desk may see it: before it is published too, and those that came with tips. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return inWords(refusal('signed_out'));
    return await serveToDesk(backend, params);
  } catch (error) {
    return inWords(refusalOrThrow(error));
  }
};
