import type { APIRoute } from 'astro';
import { imageProcessorBridge } from '../../../lib/data/image-processor.ts';
import { isUuid } from '../../../lib/domain/paths.ts';
import { isSameOrigin } from '../../../lib/http/request.ts';
import { json, refusalAnswer } from '../../../lib/http/responses.ts';
import { refusal } from '../../../lib/i18n/refusals.ts';

/**
 * Processes an uploaded photo now and returns its state as `{ state, refusal }`. Anyone who knows the id may call it
 * repeatedly.
 */
export const POST: APIRoute = async ({ params: { id = '' }, request, url, clientAddress }) => {
  if (!isSameOrigin(request, url.origin)) return refusalAnswer(refusal('forbidden'));
  if (!isUuid(id)) return refusalAnswer(refusal('not_found'));
  if (!imageProcessorBridge.processPhoto) return refusalAnswer(refusal('unavailable'));
  const looked = await imageProcessorBridge.processPhoto(id, clientAddress);
  if ('refusal' in looked) return refusalAnswer(looked.refusal);
  return looked.status ? json(looked.status) : refusalAnswer(refusal('not_found'));
};
