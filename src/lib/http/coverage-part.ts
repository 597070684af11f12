import type { APIRoute } from 'astro';
import { cachedCoverage } from '../data/coverages.ts';
import { cachedSite } from '../data/site.ts';
import { parsePartRequest, partPath } from '../domain/coverage-part.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import { refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { type DrawPart, readPart } from '../publishing/embeds.ts';
import { declarePage, tags } from './cache-policy.ts';
import { absenceForPrograms, headersForPrograms } from './program-headers.ts';
import { plainRefusal, redirectTo, refusalResponse } from './responses.ts';

/** Opened as a page of its own, a part shows its photos and runs nothing. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Route of a coverage as a fragment for the pages of another site. docs/embedding.md promises what it returns. */
export const partRoute =
  (draw: DrawPart): APIRoute =>
  async ({ params, url, locals }) => {
    const request = parsePartRequest(url.searchParams);
    if ('invalid' in request) {
      const why = { ...refusal('invalid', { field: request.invalid }), status: 400 };
      return refusalResponse(why, locals.messages);
    }
    try {
      const [result, site] = await Promise.all([cachedCoverage(params.slug ?? ''), cachedSite()]);
      const missing = [tags.site, tags.missing];
      if (result.kind === 'moved') return redirectTo(partPath(result.slug, url.searchParams), 301, missing);
      if (result.kind !== 'coverage') return absenceForPrograms(locals.messages, result.kind, missing);
      const { coverage } = result;
      const messages = messagesFor(coverage.language, site.language);
      const content = await readPart(coverage, request);
      const html = draw({ messages, coverage, site, request, content });
      const headers = headersForPrograms(coverage, 'text/html');
      headers.set('Content-Security-Policy', POLICY);
      // The text contains no rendering time, so it is its own version.
      const status = headers.get('Stoppress-Status');
      declarePage(headers, [tags.site, tags.coverage(coverage.id)], html, status, coverage.seq);
      return new Response(html, { headers });
    } catch (error) {
      return plainRefusal(refusalOrThrow(error), locals.messages);
    }
  };
