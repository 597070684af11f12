import type { APIRoute } from 'astro';
import { cachedCoverage } from '../data/coverages.ts';
import { cachedSite } from '../data/site.ts';
import { briefTextPath } from '../domain/coverages.ts';
import { dayKey } from '../domain/time.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import { refusalOrThrow } from '../i18n/refusals.ts';
import {
  type BriefSource,
  briefClock,
  briefText,
  composeBrief,
  readBrief,
} from '../publishing/coverage-brief.ts';
import { declarePage, tags } from './cache-policy.ts';
import { absenceForPrograms, headersForPrograms } from './program-headers.ts';
import { plainRefusal, redirectTo } from './responses.ts';

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
