import type { APIRoute } from 'astro';
import { SECRET_HEADERS } from '../../../lib/data/tips.ts';
import { serveReceiptPhoto } from '../../../lib/http/photo-responses.server.ts';
import { plainRefusal } from '../../../lib/http/responses.ts';
import { refusalOrThrow } from '../../../lib/i18n/refusals.ts';

/** The photo of a tip, for the holder of its receipt. The address is a secret. */
export const GET: APIRoute = async ({ locals, params: { receipt = '' } }) => {
  const answer = await serveReceiptPhoto(receipt).catch((error: unknown) =>
    plainRefusal(refusalOrThrow(error), locals.messages),
  );
  for (const [name, value] of Object.entries(SECRET_HEADERS)) answer.headers.set(name, value);
  return answer;
};
