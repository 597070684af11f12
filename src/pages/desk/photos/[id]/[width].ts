import type { APIRoute } from 'astro';
import { sessionOf } from '../../../../lib/auth/session.server.ts';
import { plainRefusal } from '../../../../lib/http/answers.ts';
import { refusal, refusalOrThrow } from '../../../../lib/http/errors.ts';
import { serveToDesk } from '../../../../lib/photos/serve.server.ts';

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
