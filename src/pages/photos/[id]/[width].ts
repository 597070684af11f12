import type { APIRoute } from 'astro';
import { plainRefusal } from '../../../lib/http/answers.ts';
import { refusalOrThrow } from '../../../lib/http/errors.ts';
import { serveToReaders } from '../../../lib/photos/serve.server.ts';

/** A photo of a published update, and of nothing else. */
export const GET: APIRoute = async ({ params, request }) => {
  try {
    return await serveToReaders(params, request.headers.get('if-none-match'));
  } catch (error) {
    return plainRefusal(refusalOrThrow(error));
  }
};
