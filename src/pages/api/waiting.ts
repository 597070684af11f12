import type { APIRoute } from 'astro';
import { sessionOf } from '../../lib/auth/session.server.ts';
import { readWaiting, sayWaiting } from '../../lib/desk/waiting.ts';
import { json, refusalAnswer } from '../../lib/http/answers.ts';
import { refusal } from '../../lib/http/errors.ts';
import { isSameOrigin } from '../../lib/http/same-origin.ts';

/** What waits for whoever is signed in, said in the site's language: what every page of the desk shows. */
export const GET: APIRoute = async ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalAnswer(refusal('forbidden'));
  const { person, backend } = sessionOf(locals);
  if (!person) return refusalAnswer(refusal('signed_out'));
  return json(sayWaiting(await readWaiting(backend)));
};
