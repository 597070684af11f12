import type { APIRoute } from 'astro';
import { findCoverage } from '../../../lib/data/coverages.ts';
import { cachedSite } from '../../../lib/data/site.ts';
import { tags } from '../../../lib/http/cache-policy.ts';
import { plainAbsence, plainRefusal, redirectTo, serveOgImage } from '../../../lib/http/responses.ts';
import { messagesFor } from '../../../lib/i18n/messages.server.ts';
import { refusalOrThrow } from '../../../lib/i18n/refusals.ts';
import { coverageOgImage, ogImagePath } from '../../../lib/publishing/og-image.ts';

/** The Open Graph image of a coverage. */
export const GET: APIRoute = async ({ locals, params }) => {
  try {
    const [result, site] = await Promise.all([findCoverage(params.slug ?? ''), cachedSite()]);
    if (result.kind === 'moved') return redirectTo(ogImagePath(result.slug), 301, [tags.site, tags.missing]);
    if (result.kind === 'coverage') {
      const { coverage } = result;
      return await serveOgImage(
        coverageOgImage(messagesFor(coverage.language, site.language), coverage, site),
        [tags.site, tags.coverage(coverage.id)],
      );
    }
    return plainAbsence(locals.messages, result.kind, [tags.site, tags.missing]);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
