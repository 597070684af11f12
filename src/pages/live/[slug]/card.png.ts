import type { APIRoute } from 'astro';
import { cardPath, coverageCard } from '../../../lib/cards/card.ts';
import { serveCard } from '../../../lib/cards/serve.server.ts';
import { findCoverage } from '../../../lib/coverage/read.ts';
import { plainAbsence, plainRefusal } from '../../../lib/http/answers.ts';
import { tags } from '../../../lib/http/cache.ts';
import { refusalOrThrow } from '../../../lib/http/errors.ts';
import { redirectTo } from '../../../lib/http/redirect.ts';
import { speak } from '../../../lib/http/speaking.server.ts';
import { readSite } from '../../../lib/site/read.ts';

/** The picture of a coverage, for places where its page is shared. */
export const GET: APIRoute = async ({ params }) => {
  try {
    const [found, site] = await Promise.all([findCoverage(params.slug ?? ''), readSite()]);
    if (found.kind === 'moved') return redirectTo(cardPath(found.slug), 301, [tags.site, tags.missing]);
    if (found.kind === 'found') {
      const { coverage } = found;
      speak(coverage.language);
      return await serveCard(coverageCard(coverage, site), [tags.site, tags.coverage(coverage.id)]);
    }
    return plainAbsence(found.kind, [tags.site, tags.missing]);
  } catch (error) {
    return plainRefusal(refusalOrThrow(error));
  }
};
