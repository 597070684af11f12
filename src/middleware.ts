import type { APIContext, MiddlewareHandler, MiddlewareNext } from 'astro';
import { REQUEST_ID_HEADER, requestId } from 'embedded-supabase';
import { PAGE_TIMEOUT_MS, withDeadline } from './lib/data/fetch-timeout.ts';
import { refreshSessionCookies } from './lib/data/session.server.ts';
import { rememberedLanguage, rememberedSite } from './lib/data/site.ts';
import { isPrivateRoute } from './lib/domain/paths.ts';
import { NO_STORE } from './lib/http/cache-policy.ts';
import { minifyResponse } from './lib/http/minify.ts';
import { logInternalError, plainRefusal, refusalResponse } from './lib/http/responses.ts';
import {
  addChangesHeaders,
  addSecurityHeaders,
  allowAnyOrigin,
  allowBackend,
  allowChosenMedia,
  allowFrames,
  allowPlayers,
} from './lib/http/security-headers.ts';
import { messagesFor } from './lib/i18n/messages.server.ts';
import { Refused, refusal } from './lib/i18n/refusals.ts';

/**
 * Scripts get an error as JSON. People get a sentence when the body was read, because Astro cannot render its error
 * page then.
 */
function respondToError({ locals, request, url }: APIContext, error: unknown): Response {
  const isScriptCall = url.pathname.startsWith('/api/');
  if (!isScriptCall && !request.bodyUsed) throw error;
  const why =
    error instanceof Refused ? error.refusal : refusal('internal', { errorId: logInternalError(error) });
  return isScriptCall ? refusalResponse(why, locals.messages) : plainRefusal(why, locals.messages);
}

/**
 * Public pages whose islands may call the backend: to follow by socket, to send a tip, or to work as a desk when
 * online.
 */
const CALLING_PAGES = ['/live/[slug]', '/live/[slug]/embed', '/tips', '/offline/desk'];

/**
 * A private page with an island that starts by connection quality. `Server-Timing` lets it subtract the rendering time.
 */
const TIMED_PAGE = '/account';

/** The desk takes pictures of videos that a person chooses (src/islands/media/MediaFields.tsx). */
const UPLOADING_PAGE = '/desk/[slug]';

/** Scripts poll it every few seconds. */
const CHANGES_ROUTE = '/live/[slug]/changes';

/** Scripts of other sites and of frames without an origin read these, with their refusals. They ignore cookies. */
const OPEN_ROUTES = [CHANGES_ROUTE, '/live/[slug]/part', '/live/[slug]/brief.txt', '/api/coverages.json'];

/** Astro renders these when a page fails. Reading the session could fail again. */
const ERROR_PAGES = ['/404', '/500'];

/** Answers a form of something that does not exist with a sentence, because Astro cannot render its error page then. */
const withSentence = ({ locals, request }: APIContext, page: Response): Response =>
  page.status === 404 && !page.body && request.bodyUsed
    ? plainRefusal(refusal('not_found'), locals.messages)
    : page;

/** Pages are in the site's language unless they set another one. */
export const onRequest: MiddlewareHandler = async (context, next) => {
  // Cached pages read the site themselves.
  if (isPrivateRoute(context.url.pathname)) await rememberedSite();
  context.locals.messages = messagesFor(rememberedLanguage());
  return respond(context, next);
};

/** A form is never aborted while it may still succeed. */
const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** Refreshes the session on private routes, renders the page, and adds the headers of every response. */
async function respond(context: APIContext, next: MiddlewareNext): Promise<Response> {
  const begun = performance.now();
  const asks = isPrivateRoute(context.url.pathname) && !ERROR_PAGES.includes(context.routePattern);
  const sessionHeaders = asks ? await refreshSessionCookies(context) : [];
  const page = next().then((response) => minifyResponse(withSentence(context, response)));
  const rendered = await (isRead(context.request)
    ? withDeadline(page, PAGE_TIMEOUT_MS - (performance.now() - begun))
    : page
  ).catch((error) => respondToError(context, error));
  // Astro gives its error page status 500, whatever the page sets.
  const status = context.locals.failure ?? rendered.status;
  const response =
    status === rendered.status
      ? rendered
      : new Response(rendered.body, { status, headers: rendered.headers });
  const { headers } = response;

  for (const [name, value] of sessionHeaders) headers.set(name, value);
  // Private routes are not indexed.
  if (isPrivateRoute(context.url.pathname)) headers.set('X-Robots-Tag', 'noindex');
  const failed = status >= (isPrivateRoute(context.url.pathname) ? 400 : 500);
  if (failed || !headers.has('Cache-Control')) {
    headers.set('Cache-Control', NO_STORE);
    headers.delete('Cache-Tag');
  }
  // Only uncached responses carry a request id: a cached one serves many requests.
  const id = headers.get('Cache-Control')?.includes('no-store') && requestId();
  if (id) headers.set(REQUEST_ID_HEADER, id);
  if (context.routePattern === TIMED_PAGE) {
    headers.set('Server-Timing', `made;dur=${Math.round(performance.now() - begun)}`);
  }
  if (headers.get('Content-Type') === 'text/html') headers.set('Content-Type', 'text/html; charset=utf-8');
  const isChanges = context.routePattern === CHANGES_ROUTE && status === 200;
  // Most responses are changes responses of this site's own pages, so they carry no more than necessary.
  if (OPEN_ROUTES.includes(context.routePattern)) allowAnyOrigin(headers, { exposesHeaders: !isChanges });
  if (isChanges) {
    addChangesHeaders(headers);
    return response;
  }
  if (asks || CALLING_PAGES.includes(context.routePattern)) allowBackend(headers);
  allowPlayers(headers, context.locals.players ?? []);
  if (context.routePattern === UPLOADING_PAGE) allowChosenMedia(headers);
  addSecurityHeaders(response);
  if (context.locals.frames && headers.has('Content-Security-Policy'))
    allowFrames(headers, context.locals.frames);
  return response;
}
