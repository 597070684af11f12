import type { APIRoute } from 'astro';
import { sessionOf } from '../../lib/data/session.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { refusal } from '../../lib/i18n/refusals.ts';

/** The signed-in person as `{ person }`; null for a visitor. */
export const GET: APIRoute = ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  return jsonResponse({ person: sessionOf(locals).person });
};
