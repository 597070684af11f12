import type { APIRoute } from 'astro';
import { readerClient } from '../../lib/data/reader-client.server.ts';
import { sendTransfer } from '../../lib/data/wordpress-transfer.ts';
import { jsonResponse, refusalResponse } from '../../lib/http/responses.ts';
import { Refused, refusalOrThrow } from '../../lib/i18n/refusals.ts';

/**
 * What the WordPress plugin brings over, by `{ code, content }`. Cookies play no part: the code that an owner made is the
 * authority. Answers `{ people }`, the number of people, who are not invited before an owner accepts.
 */
export const POST: APIRoute = async ({ locals, request }) => {
  try {
    const { code, content } = ((await request.json().catch(() => undefined)) ?? {}) as Record<
      string,
      unknown
    >;
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    if (typeof code !== 'string' || !isObject) throw new Refused('invalid');
    return jsonResponse({ people: await sendTransfer(readerClient(), code, { ...content }) });
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
};
