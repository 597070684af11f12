import type { APIRoute } from 'astro';
import { cachedSite } from '../lib/data/site.ts';
import { tags } from '../lib/http/cache-policy.ts';
import { plainRefusal, serveOgImage } from '../lib/http/responses.ts';
import { refusalOrThrow } from '../lib/i18n/refusals.ts';
import { siteOgImage } from '../lib/publishing/og-image.ts';

/** The Open Graph image of the site. */
export const GET: APIRoute = async ({ locals }) => {
  try {
    return await serveOgImage(siteOgImage(await cachedSite()), [tags.site]);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
