import type { APIRoute } from 'astro';
import { json, refusalAnswer } from '../../../lib/http/answers.ts';
import { refusal, refusalOrThrow } from '../../../lib/http/errors.ts';
import { readReceipt } from '../../../lib/tips/read.ts';
import { type Fate, SECRET_HEADERS } from '../../../lib/tips/tip.ts';

/** What became of a tip, for a page that is open: `{ state, used }`. The address is the secret. */
export const GET: APIRoute = async ({ params: { receipt = '' } }) => {
  const answer = await answerTo(receipt);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) answer.headers.set(name, value);
  return answer;
};

async function answerTo(receipt: string): Promise<Response> {
  try {
    const tip = await readReceipt(receipt);
    return tip
      ? json({ state: tip.state, used: tip.used } satisfies Fate)
      : refusalAnswer(refusal('not_found'));
  } catch (error) {
    return refusalAnswer(refusalOrThrow(error));
  }
}
