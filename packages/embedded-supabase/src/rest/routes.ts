import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type GatewayContext, KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { restError, retryLater } from '../gateway/responses.ts';
import { type Claims, TokenRefused } from '../tokens.ts';
import { responseTooLarge } from './answer-size.ts';
import { classOf, queueByClient, rateLimit } from './caller-class.ts';
import { QUERY_LIMITS } from './query-limits.ts';
import { isReadable } from './request-guard.ts';

/** Maximum length of a visitor's URL, in characters. Our clients do not send longer ones. */
const LONGEST_URL = 4096;

/**
 * The headers that lite needs for a query, then those that database functions may read. Keys, tokens and cookies are
 * not passed on.
 */
const HEADERS = [
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

/** @param waitS seconds after which the client may try again */
const tooManyRequests = (waitS: number) =>
  retryLater(restError(429, 'PT429', 'rate_limited', 'Wait a moment, then try again.'), waitS);

/** Creates the routes of `/rest/v1`: the tables and functions that the caller's role may use. */
export function restRoutes(context: GatewayContext): Hono<RequestVariables> {
  const take = rateLimit();
  const queue = queueByClient();

  const answer = async (c: Context<RequestVariables>) => {
    let claims: Claims;
    try {
      claims = await claimsOf(c, context);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      c.header('www-authenticate', 'Bearer error="invalid_token"');
      return restError(401, error.expired ? 'PGRST303' : 'PGRST301', error.message);
    }

    const address = c.get('address');
    const callerClass = classOf({ claims, address });
    const wait = take(address, callerClass, context.lite.costOf(c.req.param('function')));
    if (wait > 0) {
      return tooManyRequests(wait);
    }
    if (callerClass === 'visitor' && c.req.url.length > LONGEST_URL) {
      return restError(414, 'PT414', 'too_large', 'Ask for less at once.');
    }
    if (!isReadable(c.req)) {
      return restError(422, 'PT422', 'invalid', 'Ask for less at once, by names that there are.');
    }
    const leave = await queue(address, callerClass);
    if (!leave) {
      return tooManyRequests(1);
    }
    leaveAfter(c, leave);
    const response = await context.lite.rest(await inward(c), claims, callerClass);
    if (callerClass === 'server') return response;
    const most = QUERY_LIMITS[callerClass].answerBytes;
    if (Number(response.headers.get('content-length') ?? 0) <= most) return response;
    const { code, message, detail, hint } = responseTooLarge(most);
    return Response.json({ code, message, details: detail, hint }, { status: 413 });
  };
  return new Hono<RequestVariables>().all('/rpc/:function', answer).all('/:relation', answer);
}

/** Frees a request's place in the queue when its response has been sent or its client has disconnected. */
function leaveAfter(c: Context<RequestVariables>, leave: () => void): void {
  const { outgoing } = c.env as unknown as HttpBindings;
  if (outgoing.closed) leave();
  else outgoing.once('close', leave);
}

async function claimsOf(c: Context<RequestVariables>, { tokens }: GatewayContext): Promise<Claims> {
  const token = c.get('token');
  return token ? tokens.verify(token) : KEY_CLAIMS[c.get('keyHolder')];
}

/** Creates the request for lite. Reads the whole body first, because a transaction must not wait for a client. */
async function inward(c: Context<RequestVariables>): Promise<Request> {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  // Database functions with their own limits read the client address from this header, as on hosted.
  const address = c.get('address');
  if (address) headers.set('x-forwarded-for', address);
  const bare = c.req.method === 'GET' || c.req.method === 'HEAD';
  const body = bare ? undefined : await c.req.arrayBuffer();
  return new Request(c.req.url, { method: c.req.method, headers, body });
}
