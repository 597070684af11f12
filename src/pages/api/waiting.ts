import type { APIRoute } from 'astro';
import { readWaiting, sayWaiting } from '../../lib/data/desk.ts';
import { sessionOf } from '../../lib/data/session.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { json, refusalAnswer } from '../../lib/http/responses.ts';
import { refusal } from '../../lib/i18n/refusals.ts';

/** What waits for whoever is signed in, said in the site's language: what every page of the desk shows. */
export const GET: APIRoute = async ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalAnswer(refusal('forbidden'));
  const { person, backend } = sessionOf(locals);
  if (!person) return refusalAnswer(refusal('signed_out'));
  return json(sayWaiting(await readWaiting(backend)));
};
