import type { APIRoute } from 'astro';
import { findCoverage, readKeyEventList } from '../../../lib/data/coverages.ts';
import { cachedSite } from '../../../lib/data/site.ts';
import { tags } from '../../../lib/http/cache-policy.ts';
import { readReaderPhotoFile } from '../../../lib/http/photo-responses.server.ts';
import { plainAbsence, plainRefusal, redirectTo, serveOgImage } from '../../../lib/http/responses.ts';
import { messagesFor } from '../../../lib/i18n/messages.server.ts';
import { refusalOrThrow } from '../../../lib/i18n/refusals.ts';
import { coverageOgImage, ogImagePath } from '../../../lib/publishing/og-image.ts';

/** The Open Graph image of a coverage with its lead photo. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const [result, site] = await Promise.all([findCoverage(params.slug ?? ''), cachedSite()]);
    if (result.kind !== 'coverage') {
      if (result.kind === 'moved')
        return redirectTo(ogImagePath(result.slug), 301, [tags.site, tags.missing]);
      return plainAbsence(locals.messages, result.kind, [tags.site, tags.missing]);
    }
    const { coverage } = result;
    const { photo } = await readKeyEventList(coverage);
    const cacheTags = [tags.site, tags.coverage(coverage.id), tags.photos(coverage.id)];
    if (!photo) return redirectTo(ogImagePath(coverage.slug), 302, cacheTags);
    const messages = messagesFor(coverage.language, site.language);
    return await serveOgImage(coverageOgImage(messages, coverage, site, photo), cacheTags, () =>
      readReaderPhotoFile(photo.id),
    );
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
