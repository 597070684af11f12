import type { APIContext, MiddlewareHandler, MiddlewareNext } from 'astro';
import { REQUEST_ID, requestId } from '../packages/embedded-supabase/src/log/request-id.ts';
import { inTime, LONGEST_PAGE_MS } from './lib/data/fetch-timeout.ts';
import { refreshSession } from './lib/data/session.server.ts';
import { rememberedLanguage, rememberedSite } from './lib/data/site.ts';
import { isPrivateRoute } from './lib/domain/routes.ts';
import { NO_STORE } from './lib/http/cache-policy.ts';
import { lean } from './lib/http/minify.ts';
import { logFault, plainRefusal, refusalAnswer } from './lib/http/responses.ts';
import {
  addAnswerHeaders,
  addSecurityHeaders,
  allowBackend,
  allowFrames,
} from './lib/http/security-headers.ts';
import { errors, withId } from './lib/i18n/errors.ts';
import { Refused, refusal } from './lib/i18n/refusals.ts';
import { speakingIn } from './lib/i18n/request-language.server.ts';

/**
 * Scripts are told of a failure as of any refusal. So is a person, in a sentence, where a body has been read: then Astro
 * cannot render its error page any more.
 */
function sayPlainly({ request, url }: APIContext, error: unknown): Response {
  const isAsked = url.pathname.startsWith('/api/');
  if (!isAsked && !request.bodyUsed) throw error;
  const why =
    error instanceof Refused
      ? error.refusal
      : refusal('internal', { sentence: withId(errors.internal, logFault(error)) });
  return isAsked ? refusalAnswer(why) : plainRefusal(why);
}

/** Public, but their islands may call the backend: to follow by socket, to send a tip, to be a desk when there is a line. */
const CALLING_PAGES = ['/live/[slug]', '/live/[slug]/embed', '/tips', '/offline/desk'];

/** Private, with an island that starts by the line: what the site itself works on is no fault of it. */
const BY_THE_LINE = '/account';

/** Read by scripts and asked for every few seconds. */
const ANSWERS = '/live/[slug]/changes';

/** Astro renders these when a page fails; asking again who this is could fail again. */
const ERROR_PAGES = ['/404', '/500'];

/** Every page is in the site's language, unless it says otherwise. */
export const onRequest: MiddlewareHandler = async (context, next) => {
  // What is cached asks for it itself.
  if (isPrivateRoute(context.url.pathname)) await rememberedSite();
  return speakingIn(rememberedLanguage(), () => answer(context, next));
};

/** What a form has sent is not given up while it may still be done. */
const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** Who is asking (on private routes), then the page, then the headers that every answer carries. */
async function answer(context: APIContext, next: MiddlewareNext): Promise<Response> {
  const begun = performance.now();
  const asks = isPrivateRoute(context.url.pathname) && !ERROR_PAGES.includes(context.routePattern);
  const sessionHeaders = asks ? await refreshSession(context) : [];
  const page = next().then(lean);
  const made = await (isRead(context.request)
    ? inTime(page, LONGEST_PAGE_MS - (performance.now() - begun))
    : page
  ).catch((error) => sayPlainly(context, error));
  // Astro gives its error page 500, whatever the page says.
  const status = context.locals.failure ?? made.status;
  const response = status === made.status ? made : new Response(made.body, { status, headers: made.headers });
  const { headers } = response;

  for (const [name, value] of sessionHeaders) headers.set(name, value);
  // Rooms that need a key are nobody's to find, whatever leads there.
  if (isPrivateRoute(context.url.pathname)) headers.set('X-Robots-Tag', 'noindex');
  const failed = status >= (isPrivateRoute(context.url.pathname) ? 400 : 500);
  if (failed || !headers.has('Cache-Control')) {
    headers.set('Cache-Control', NO_STORE);
    headers.delete('Cache-Tag');
  }
  // What is one visitor's own can be asked after; what is kept for all was made for none of them.
  const id = headers.get('Cache-Control')?.includes('no-store') && requestId();
  if (id) headers.set(REQUEST_ID, id);
  if (context.routePattern === BY_THE_LINE) {
    headers.set('Server-Timing', `made;dur=${Math.round(performance.now() - begun)}`);
  }
  if (headers.get('Content-Type') === 'text/html') headers.set('Content-Type', 'text/html; charset=utf-8');
  if (context.routePattern === ANSWERS && status === 200) {
    addAnswerHeaders(headers);
    return response;
  }
  if (asks || CALLING_PAGES.includes(context.routePattern)) allowBackend(headers);
  addSecurityHeaders(response);
  if (context.locals.frames && headers.has('Content-Security-Policy'))
    allowFrames(headers, context.locals.frames);
  return response;
}
