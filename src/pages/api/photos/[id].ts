import type { APIRoute } from 'astro';
import { serverBridge } from '../../../lib/data/server-bridge.ts';
import { isUuid } from '../../../lib/domain/paths.ts';
import { isSameOrigin } from '../../../lib/http/request.ts';
import { jsonResponse, refusalResponse } from '../../../lib/http/responses.ts';
import { refusal } from '../../../lib/i18n/refusals.ts';

/**
 * Processes an uploaded photo now and returns its state as `{ state, refusal }`. Anyone who knows the id may call it
 * repeatedly.
 */
export const POST: APIRoute = async ({ locals, params: { id = '' }, request, url, clientAddress }) => {
  if (!isSameOrigin(request, url.origin)) return refusalResponse(refusal('forbidden'), locals.messages);
  if (!isUuid(id)) return refusalResponse(refusal('not_found'), locals.messages);
  if (!serverBridge.processPhoto) return refusalResponse(refusal('unavailable'), locals.messages);
  const looked = await serverBridge.processPhoto(id, clientAddress);
  if ('refusal' in looked) return refusalResponse(looked.refusal, locals.messages);
  return looked.status ? jsonResponse(looked.status) : refusalResponse(refusal('not_found'), locals.messages);
};
