import type { APIRoute } from 'astro';
import { checkMediaFile } from '../../../lib/data/media-objects.server.ts';
import { isUuid } from '../../../lib/domain/paths.ts';
import { isSameOrigin } from '../../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../../lib/http/responses.ts';
import { refusal, refusalOrThrow } from '../../../lib/i18n/refusals.ts';

/**
 * Checks an uploaded video or audio file and returns its state as `MediaFileState`. Anyone who knows the id may call it
 * repeatedly.
 */
export const POST: APIRoute = async ({ locals, params: { id = '' }, request, url }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  if (!isUuid(id)) return refusalResponse(refusal('not_found'), locals.messages);
  try {
    const file = await checkMediaFile(id);
    if (!file) return refusalResponse(refusal('not_found'), locals.messages);
    const { state, refusal_code, path } = file;
    return jsonResponse({ id: file.id, state, refusal_code, path });
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
};
