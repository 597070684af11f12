import type { APIRoute } from 'astro';
import { sessionOf } from '../../lib/auth/session.server.ts';
import { json, refusalAnswer } from '../../lib/http/answers.ts';
import { refusal } from '../../lib/http/errors.ts';
import { isSameOrigin } from '../../lib/http/same-origin.ts';

/** Who is signed in: `{ person }`, null for a visitor. */
export const GET: APIRoute = ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalAnswer(refusal('forbidden'));
  return json({ person: sessionOf(locals).person });
};
