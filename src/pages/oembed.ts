import type { APIRoute } from 'astro';
import { findCoverage } from '../lib/data/coverages.ts';
import { isUnsupportedFormat, readOembedRequest } from '../lib/data/public-routes.ts';
import { cachedSite } from '../lib/data/site.ts';
import { declarePage, declareRefusal, NO_STORE, tags } from '../lib/http/cache-policy.ts';
import { refusalResponse } from '../lib/http/responses.ts';
import { messagesFor } from '../lib/i18n/messages.server.ts';
import type { Messages } from '../lib/i18n/messages.ts';
import { refusal, refusalOrThrow } from '../lib/i18n/refusals.ts';
import { isOwnHost, oembedResponse } from '../lib/publishing/embeds.ts';

/** Other sites may read the response. */
const ANYBODY = { 'Access-Control-Allow-Origin': '*' };

/**
 * Describes a coverage (oEmbed 1.0) by the address of its live page or of one of its updates. Foreign addresses are
 * refused without a request to them.
 */
export const GET: APIRoute = async ({ locals, url: { searchParams } }) => {
  if (isUnsupportedFormat(searchParams.get('format'))) {
    return new Response(null, { status: 501, headers: { 'Cache-Control': NO_STORE, ...ANYBODY } });
  }
  const question = readOembedRequest(searchParams);
  if (!question) {
    return refused(locals.messages, 'not_found', [tags.missing]);
  }
  // Not cached, because clients can make up foreign addresses without limit.
  if (!isOwnHost(question.host)) return refused(locals.messages, 'not_found');
  try {
    const [first, site] = await Promise.all([findCoverage(question.slug), cachedSite()]);
    // A former address leads to the coverage.
    const result = first.kind === 'moved' ? await findCoverage(first.slug) : first;
    if (result.kind !== 'coverage') {
      return refused(locals.messages, result.kind === 'gone' ? 'gone' : 'not_found', [
        tags.site,
        tags.missing,
      ]);
    }
    const { coverage } = result;
    const described = oembedResponse(messagesFor(coverage.language, site.language), coverage, site, question);
    const answer = Response.json(described, { headers: ANYBODY });
    const renamed = first.kind === 'moved' ? [tags.missing] : [];
    declarePage(answer.headers, [tags.site, tags.coverage(coverage.id), ...renamed], described);
    return answer;
  } catch (error) {
    return refusalResponse(refusalOrThrow(error), locals.messages);
  }
};

function refused(messages: Messages, code: 'not_found' | 'gone', cacheTags?: string[]): Response {
  const answer = refusalResponse(refusal(code), messages);
  if (cacheTags) declareRefusal(answer.headers, code, cacheTags);
  answer.headers.set('Access-Control-Allow-Origin', '*');
  return answer;
}
