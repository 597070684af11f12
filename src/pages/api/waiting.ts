import type { APIRoute } from 'astro';
import { readWaiting, waitingMessage } from '../../lib/data/desk.ts';
import { sessionOf } from '../../lib/data/session.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { refusal } from '../../lib/i18n/refusals.ts';

/** The items that wait for the signed-in person, as text in the site's language, for every page of the desk. */
export const GET: APIRoute = async ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  const { person, backend } = sessionOf(locals);
  if (!person) return refusalResponse(refusal('signed_out'), locals.messages);
  return jsonResponse(waitingMessage(locals.messages, await readWaiting(backend)));
};
