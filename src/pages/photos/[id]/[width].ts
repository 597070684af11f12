import type { APIRoute } from 'astro';
import { refusalOrThrow } from '../../../lib/http/errors.ts';
import { inWords, serveToReaders } from '../../../lib/photos/serve.server.ts';

/** A photo of a published update, and of nothing else. */
export const GET: APIRoute = async ({ params, request }) => {
  try {
    return await serveToReaders(params, request.headers.get('if-none-match'));
  } catch (error) {
    return inWords(refusalOrThrow(error));
  }
};
