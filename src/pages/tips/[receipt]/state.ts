import type { APIRoute } from 'astro';
import { SECRET_HEADERS, type TipProgress } from '../../../lib/data/tips.ts';
import { jsonResponse, refusalResponse } from '../../../lib/http/responses.ts';
import { readReceipt } from '../../../lib/http/tips.server.ts';
import type { Messages } from '../../../lib/i18n/messages.ts';
import { refusal, refusalOrThrow } from '../../../lib/i18n/refusals.ts';

/** The state of a tip as `{ state, used_in }`, for an open page. The address is a secret. */
export const GET: APIRoute = async ({ locals, params: { receipt = '' } }) => {
  const answer = await answerTo(locals.messages, receipt);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) answer.headers.set(name, value);
  return answer;
};

async function answerTo(messages: Messages, receipt: string): Promise<Response> {
  try {
    const tip = await readReceipt(receipt);
    return tip
      ? jsonResponse({ state: tip.state, used_in: tip.used_in } satisfies TipProgress)
      : refusalResponse(refusal('not_found'), messages);
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), messages);
  }
}
