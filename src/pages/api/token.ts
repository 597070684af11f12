import type { APIRoute } from 'astro';
import { sessionOf } from '../../lib/data/session.server.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { refusal } from '../../lib/i18n/refusals.ts';

/**
 * A short-lived access token for islands as `{ access_token, expires_at }`, the time in seconds since 1970. The refresh
 * token stays in its cookie.
 */
export const POST: APIRoute = async ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  const { person, backend } = sessionOf(locals);
  const { data } = await backend.auth.getSession();
  if (!person || !data.session) return refusalResponse(refusal('signed_out'), locals.messages);
  const { access_token, expires_at } = data.session;
  return jsonResponse({ access_token, expires_at });
};
