import type { APIRoute } from 'astro';
import { plainRefusal } from '../../lib/http/responses.ts';
import { serveSiteImage } from '../../lib/http/site-images.server.ts';
import { refusalOrThrow } from '../../lib/i18n/refusals.ts';

/** The logo of the site, or an icon that is made from it. */
export const GET: APIRoute = async ({ locals, params: { name = '' } }) => {
  try {
    return await serveSiteImage(locals.messages, name);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
