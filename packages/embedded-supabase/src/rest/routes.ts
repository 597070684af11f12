import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type GatewayContext, KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { restError, withRetryAfter } from '../gateway/responses.ts';
import { type Claims, InvalidTokenError } from '../tokens.ts';
import { responseTooLargeError } from './answer-size.ts';
import { callerClassOf, queueByClient, rateLimitByClient } from './caller-class.ts';
import { QUERY_LIMITS } from './query-limits.ts';

/** Maximum length of a visitor's URL, in characters. Our clients do not send longer ones. */
const MAX_URL_LENGTH = 4096;

/**
 * The headers that lite needs for a query, then those that database functions may read. Keys, tokens and cookies are
 * not passed on.
 */
const FORWARDED_HEADERS = [
  ...['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer'],
  ...[
    'accept-language',
    'user-agent',
    'x-client-info',
    'x-request-id',
    'traceparent',
    'tracestate',
    'baggage',
  ],
];

/** The methods of PostgREST. lite would answer every other one like GET. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/** @param waitS seconds after which the client may try again */
const tooManyRequests = (waitS: number) =>
  withRetryAfter(restError(429, 'PT429', 'rate_limited', 'Wait a moment, then try again.'), waitS);

/** Creates the routes of `/rest/v1`: the tables and functions that the caller's role may use. */
export function restRoutes(context: GatewayContext): Hono<RequestVariables> {
  const takeTokens = rateLimitByClient();
  const queue = queueByClient();

  const handleRequest = async (c: Context<RequestVariables>) => {
    const { method } = c.req;
    if (!METHODS.includes(method)) return restError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
    let claims: Claims;
    try {
      claims = await claimsOf(c, context);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      c.header('www-authenticate', 'Bearer error="invalid_token"');
      return restError(401, error.expired ? 'PGRST303' : 'PGRST301', error.message);
    }

    const address = c.get('address');
    const callerClass = callerClassOf({ claims, address });
    const waitS = takeTokens(address, callerClass, context.restApi.functionCost(c.req.param('function')));
    if (waitS > 0) {
      return tooManyRequests(waitS);
    }
    if (callerClass === 'visitor' && c.req.url.length > MAX_URL_LENGTH) {
      return restError(414, 'PT414', 'too_large', 'Ask for less at once.');
    }
    if (!hasSafeNames(c.req)) {
      return restError(422, 'PT422', 'invalid', 'Ask for less at once, with names that exist.');
    }
    const url = addRange(c.req);
    if (!url) {
      const details =
        'The lower boundary must be lower than or equal to the upper boundary in the Range header.';
      return restError(416, 'PGRST103', 'Requested range not satisfiable', null, details);
    }
    const release = await queue(address, callerClass);
    if (!release) {
      return tooManyRequests(1);
    }
    releaseAfterResponse(c, release);
    const response = await context.restApi.handle(await liteRequest(c, url), claims, callerClass);
    if (callerClass === 'server') return response;
    const maxBytes = QUERY_LIMITS[callerClass].responseBytes;
    if (Number(response.headers.get('content-length') ?? 0) <= maxBytes) return response;
    const { code, message, detail, hint } = responseTooLargeError(maxBytes);
    return Response.json({ code, message, details: detail, hint }, { status: 413 });
  };
  return new Hono<RequestVariables>()
    .all('/rpc/:function', handleRequest)
    .all('/:relation', handleRequest)
    .all('/:relation/*', () => restError(404, 'PGRST125', 'Invalid path specified in request URL'));
}

/** Frees a request's place in the queue when its response has been sent or its client has disconnected. */
function releaseAfterResponse(c: Context<RequestVariables>, release: () => void): void {
  const { outgoing } = c.env as unknown as HttpBindings;
  if (outgoing.closed) release();
  else outgoing.once('close', release);
}

async function claimsOf(c: Context<RequestVariables>, { tokens }: GatewayContext): Promise<Claims> {
  const token = c.get('token');
  return token ? tokens.verify(token) : KEY_CLAIMS[c.get('apiKeyType')];
}

/**
 * Adds the rows of a `Range` header to the URL of a query. lite itself would apply the header after the query was
 * checked. As in PostgREST, a header in another format is ignored.
 * @returns undefined if the first row comes after the last one
 */
function addRange(request: Context<RequestVariables>['req']): URL | undefined {
  const url = new URL(request.url);
  const [, first, last] = /^(\d{1,9})-(\d{0,9})$/.exec(request.header('range') ?? '') ?? [];
  const isPaged = url.searchParams.has('limit') || url.searchParams.has('offset');
  if (first === undefined || isPaged || (request.method !== 'GET' && request.method !== 'HEAD')) return url;
  url.searchParams.set('offset', first);
  if (!last) return url;
  if (Number(last) < Number(first)) return undefined;
  url.searchParams.set('limit', String(Number(last) - Number(first) + 1));
  return url;
}

/** Creates the request for lite. Reads the whole body first, because a transaction must not wait for a client. */
async function liteRequest(c: Context<RequestVariables>, url: URL): Promise<Request> {
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  // Database functions with their own limits read the client address from this header, as on hosted.
  const address = c.get('address');
  if (address) headers.set('x-forwarded-for', address);
  const hasNoBody = c.req.method === 'GET' || c.req.method === 'HEAD';
  const body = hasNoBody ? undefined : await c.req.arrayBuffer();
  return new Request(url, { method: c.req.method, headers, body });
}

/*
 * Checks requests before lite parses them. lite stores the names of a query as keys of objects, so some names would
 * reach properties of Object.prototype. It also parses nested conditions by recursion.
 */

/**
 * Maximum number of opening brackets in one parameter, which bounds nested conditions and tables. Our clients send
 * fewer. Parsing two thousand takes a third of a second.
 */
const MAX_BRACKETS = 100;

/** Names that reach Object.prototype or its properties. No table or column has such a name. */
const INHERITED_NAME = /(?<!\w)(?:__proto__|constructor|prototype)(?!\w)/;

/** Parameters whose value names columns and tables. The values of all others are compared with rows. */
const NAMING_PARAMETER = /^(?:.*\.)?(?:select|order|columns|on_conflict|or|and)$/;

/** The operator before the first dot. lite uses it as the key of an object. */
const LEADING_OPERATOR = /^(?:not\.)?(\w+)/;

/** Returns whether the names of tables, columns and operators in a `/rest/v1` request are safe to parse. */
function hasSafeNames({ url, method }: { url: string; method: string }): boolean {
  const { pathname, searchParams } = new URL(url);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return false;
  }
  const namingTexts = [
    path,
    ...[...searchParams].map(([key, value]) => (NAMING_PARAMETER.test(key) ? `${key} ${value}` : key)),
  ];
  // A function that is called without POST gets its arguments from the query, so their values may be any text.
  const givesArguments = path.startsWith('/rest/v1/rpc/') && method !== 'POST';
  return (
    !namingTexts.some((text) => (text.match(/\(/g)?.length ?? 0) > MAX_BRACKETS) &&
    !namingTexts.some((text) => INHERITED_NAME.test(text)) &&
    (givesArguments || ![...searchParams.values()].some(usesInheritedName))
  );
}

function usesInheritedName(value: string): boolean {
  const [, operator = ''] = LEADING_OPERATOR.exec(value) ?? [];
  return operator in Object.prototype;
}
