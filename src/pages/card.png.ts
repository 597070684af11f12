import type { APIRoute } from 'astro';
import { siteCard } from '../lib/cards/card.ts';
import { serveCard } from '../lib/cards/serve.server.ts';
import { plainRefusal } from '../lib/http/answers.ts';
import { tags } from '../lib/http/cache.ts';
import { refusalOrThrow } from '../lib/http/errors.ts';
import { readSite } from '../lib/site/read.ts';

/** The picture of the newsroom, for places where its pages are shared. */
export const GET: APIRoute = async () => {
  try {
    return await serveCard(siteCard(await readSite()), [tags.site]);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error));
  }
};
