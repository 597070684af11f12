import type { APIContext, APIRoute } from 'astro';
import { findCoverage, findTopic } from '../data/coverages.ts';
import { siteUrl } from '../data/environment.ts';
import { cachedSite } from '../data/site.ts';
import {
  COVERAGE_FEED_PARAMETERS,
  FEED_FORMATS,
  type FeedFormat,
  feedPath,
  LIST_FEED_PARAMETERS,
} from '../domain/list-paths.ts';
import { pickParameters } from '../domain/paths.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import type { Messages } from '../i18n/messages.ts';
import { refusalOrThrow } from '../i18n/refusals.ts';
import type { FeedDocument, RenderBody } from '../publishing/feeds/feed.ts';
import {
  archivedDocument,
  completeDocument,
  listDocument,
  newestDocument,
  writeFeed,
} from '../publishing/feeds/read-feed.ts';
import { declarePage, tags } from './cache-policy.ts';
import { plainAbsence, plainRefusal, redirectTo } from './responses.ts';

type FeedRoute = (format: FeedFormat, draw: RenderBody) => APIRoute;

/** Route of a coverage's feed and its archived feeds. */
export const coverageFeedRoute: FeedRoute = (format, draw) =>
  withPlainRefusals(async ({ params, url, locals }) => {
    const { archive } = pickParameters(url.searchParams, COVERAGE_FEED_PARAMETERS);
    const [result, site] = await Promise.all([findCoverage(params.slug ?? ''), cachedSite()]);
    const missing = [tags.site, tags.missing];
    if (result.kind === 'moved') {
      return redirectTo(feedPath(`/live/${result.slug}`, format, archive ?? undefined), 301, missing);
    }
    if (result.kind !== 'coverage') return plainAbsence(locals.messages, result.kind, missing);
    const { coverage } = result;
    const messages = messagesFor(coverage.language, site.language);
    const cacheTags = [tags.site, tags.coverage(coverage.id)];
    const document = locals.exported
      ? await completeDocument(coverage, site)
      : archive
        ? await archivedDocument(coverage, site, Number(archive))
        : await newestDocument(coverage, site);
    return document
      ? feedResponse(messages, format, document, draw, cacheTags)
      : plainAbsence(messages, 'not_found', cacheTags);
  });

/** Route of a topic's feed and its archived feeds. */
export const topicFeedRoute: FeedRoute = (format, draw) =>
  withPlainRefusals(async (context) => {
    const [topic, site] = await Promise.all([findTopic(context.params.slug ?? ''), cachedSite()]);
    const messages = messagesFor(site.language);
    if (!topic) return plainAbsence(messages, 'not_found', LISTS);
    return listResponse(messages, format, draw, await listDocument(site, topic, archiveOf(context)));
  });

/** Route of the site's feed and its archived feeds. */
export const siteFeedRoute: FeedRoute = (format, draw) =>
  withPlainRefusals(async (context) => {
    const site = await cachedSite();
    const document = await listDocument(site, null, archiveOf(context));
    return listResponse(messagesFor(site.language), format, draw, document);
  });

const LISTS = [tags.site, tags.feeds];

const archiveOf = ({ url }: APIContext) =>
  pickParameters(url.searchParams, LIST_FEED_PARAMETERS).archive ?? undefined;

const listResponse = (
  messages: Messages,
  format: FeedFormat,
  draw: RenderBody,
  document: FeedDocument | null,
): Response =>
  document
    ? feedResponse(messages, format, document, draw, LISTS)
    : plainAbsence(messages, 'not_found', LISTS);

/** Public for all origins, so that scripts of other sites can read it. */
function feedResponse(
  messages: Messages,
  format: FeedFormat,
  document: FeedDocument,
  draw: RenderBody,
  cacheTags: string[],
): Response {
  const text = writeFeed(messages, format, document, draw, siteUrl);
  const headers = new Headers({
    'Content-Type': `${FEED_FORMATS[format].type}; charset=utf-8`,
    'Access-Control-Allow-Origin': '*',
  });
  // The feed contains no rendering time, so its text is its version.
  declarePage(headers, cacheTags, text);
  return new Response(text, { headers });
}

/** Refuses with a sentence, because feed readers cannot use an error page. */
const withPlainRefusals =
  (make: (context: APIContext) => Promise<Response>): APIRoute =>
  async (context) => {
    try {
      return await make(context);
    } catch (error) {
      return plainRefusal(refusalOrThrow(error), context.locals.messages);
    }
  };
