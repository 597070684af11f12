import type { APIRoute } from 'astro';
import { findCoverage } from '../../../../../lib/data/coverages.ts';
import { serverBridge } from '../../../../../lib/data/server-bridge.ts';
import { readUpdate } from '../../../../../lib/data/updates.ts';
import { placesOf } from '../../../../../lib/domain/body/blocks.ts';
import { mapPicturePath } from '../../../../../lib/domain/body/places.ts';
import { updatePath } from '../../../../../lib/domain/coverages.ts';
import { declarePage, tags, tagsOfPast } from '../../../../../lib/http/cache-policy.ts';
import { plainAbsence, plainRefusal, redirectTo } from '../../../../../lib/http/responses.ts';
import { ANY_EMBEDDER } from '../../../../../lib/http/security-headers.ts';
import { Refused, refusalOrThrow } from '../../../../../lib/i18n/refusals.ts';

/** The picture of a map in a published update, drawn from the owner's basemap. Other places are not drawn. */
export const GET: APIRoute = async ({ locals, params, url }) => {
  try {
    const result = await findCoverage(params.slug ?? '');
    if (result.kind !== 'coverage') {
      if (result.kind === 'moved')
        return redirectTo(url.pathname.replace(`/live/${params.slug}/`, `/live/${result.slug}/`), 301, [
          tags.site,
          tags.missing,
        ]);
      return plainAbsence(locals.messages, result.kind, [tags.site, tags.missing]);
    }
    const { id, slug } = result.coverage;
    const number = Number(params.number) || 0;
    const cacheTags = tagsOfPast(id, number);
    const update = await readUpdate(id, number);
    const places = update?.state === 'published' ? placesOf(update.body) : [];
    const place = places.find((one) => mapPicturePath(updatePath(slug, number), one) === url.pathname);
    const { basemap } = serverBridge;
    if (!place || !basemap?.covers(place)) return plainAbsence(locals.messages, 'not_found', cacheTags);
    const picture = await basemap.draw(place);
    if (!picture) throw new Refused('unavailable');
    const headers = new Headers({ 'Content-Type': 'image/svg+xml', ...ANY_EMBEDDER });
    declarePage(headers, cacheTags, picture);
    return new Response(picture, { headers });
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
