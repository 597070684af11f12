import type { APIRoute } from 'astro';
import { cardPath, coverageCard } from '../../../lib/cards/card.ts';
import { serveCard } from '../../../lib/cards/serve.server.ts';
import { findCoverage } from '../../../lib/coverage/read.ts';
import { declareRefusal, tags } from '../../../lib/http/cache.ts';
import { refusal, refusalOrThrow } from '../../../lib/http/errors.ts';
import { redirectTo } from '../../../lib/http/redirect.ts';
import { speak } from '../../../lib/http/speaking.server.ts';
import { inWords } from '../../../lib/photos/serve.server.ts';
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
    const code = found.kind === 'gone' ? 'gone' : 'not_found';
    const answer = inWords(refusal(code));
    declareRefusal(answer.headers, code, [tags.site, tags.missing]);
    return answer;
  } catch (error) {
    return inWords(refusalOrThrow(error));
  }
};
