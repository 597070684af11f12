import type { APIRoute } from 'astro';
import { sessionOf } from '../../lib/data/session.server.ts';
import { may } from '../../lib/domain/permissions.ts';
import { isSameOrigin } from '../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { storeSiteImage } from '../../lib/http/site-images.server.ts';
import { refusal, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/**
 * Cleans and stores a logo or an icon, which is the body. Returns `{ name }`, which `save_site_identity` takes. Only owners
 * may call it: drawing costs much, so their role is checked before, and by the database again.
 */
export const POST: APIRoute = async ({ locals, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return refusalResponse(refusal('signed_out'), locals.messages);
    if (!may(person.role, 'administer')) return refusalResponse(refusal('forbidden'), locals.messages);
    const upload = new Uint8Array(await request.arrayBuffer());
    return jsonResponse({ name: await storeSiteImage(backend, upload, 'image') });
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
};
