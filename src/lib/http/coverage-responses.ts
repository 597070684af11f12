import type { APIRoute } from 'astro';
import { cachedCoverage } from '../data/coverages.ts';
import { siteUrl } from '../data/environment.ts';
import { cachedSite } from '../data/site.ts';
import { parsePartRequest, partPath } from '../domain/coverage-part.ts';
import { briefTextPath, livePath } from '../domain/coverages.ts';
import { publicStatus, type ReaderCoverage } from '../domain/reader-coverage.ts';
import { dayKey } from '../domain/time.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import type { Messages } from '../i18n/messages.ts';
import { refusal, refusalOrThrow } from '../i18n/refusals.ts';
import {
  type BriefSource,
  briefClock,
  briefText,
  composeBrief,
  readBrief,
} from '../publishing/coverage-brief.ts';
import { type DrawPart, readPart } from '../publishing/embeds.ts';
import { declarePage, tags } from './cache-policy.ts';
import { plainAbsence, plainRefusal, redirectTo, refusalResponse } from './responses.ts';

/** Distinguishes our absences from the errors of a proxy, upon which a site must keep its copy. */
const ABSENT_STATUS = { not_found: 'not_found', gone: 'withdrawn' } as const;

/** Returns the headers of a coverage for other programs: its status, seq and canonical address (docs/embedding.md). */
const headersForPrograms = (coverage: ReaderCoverage, type: 'text/html' | 'text/plain'): Headers =>
  new Headers({
    'Content-Type': `${type}; charset=utf-8`,
    'Stoppress-Status': publicStatus(coverage.state),
    'Stoppress-Seq': `${coverage.seq}`,
    Link: `<${coverage.canonical_url ?? siteUrl(livePath(coverage.slug))}>; rel="canonical"`,
  });

/** Answers programs for a missing or withdrawn coverage. */
function absenceForPrograms(messages: Messages, code: 'not_found' | 'gone', cacheTags: string[]): Response {
  const absence = plainAbsence(messages, code, cacheTags);
  absence.headers.set('Stoppress-Status', ABSENT_STATUS[code]);
  return absence;
}

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

/**
 * Sets the cache headers of a brief. Its version is that of its content: two renderings show different times. Times of
 * another day have a date, so the day counts.
 */
export function declareBrief(headers: Headers, source: BriefSource): void {
  const { coverage, site, content, madeAt } = source;
  const cacheTags = [tags.site, tags.coverage(coverage.id)];
  declarePage(headers, cacheTags, 'brief', coverage, site, content, dayKey(madeAt, briefClock(source)));
}

/** Route of a brief as plain text. */
export const briefTextRoute: APIRoute = async ({ params, locals }) => {
  try {
    const madeAt = new Date();
    const [result, site] = await Promise.all([cachedCoverage(params.slug ?? ''), cachedSite()]);
    const missing = [tags.site, tags.missing];
    if (result.kind === 'moved') return redirectTo(briefTextPath(result.slug), 301, missing);
    if (result.kind !== 'coverage') return absenceForPrograms(locals.messages, result.kind, missing);
    const { coverage } = result;
    const messages = messagesFor(coverage.language, site.language);
    const source = { messages, coverage, site, content: await readBrief(coverage), madeAt };
    const headers = headersForPrograms(coverage, 'text/plain');
    declareBrief(headers, source);
    return new Response(briefText(composeBrief(source)), { headers });
  } catch (error) {
    return plainRefusal(refusalOrThrow(error), locals.messages);
  }
};
