import type { RequestListener } from 'node:http';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { authorize } from '../auth/not-offered.ts';
import { redirectToConfirmationPage } from '../auth/one-time-tokens.ts';
import { authRoutes } from '../auth/routes.ts';
import { limitDatabaseTime } from '../engine/database-time.ts';
import { UnavailableError } from '../engine/errors.ts';
import { apiKeyTypeOf, type Keys } from '../keys.ts';
import { isRequestId, newRequestId, REQUEST_ID_HEADER, runWithRequestId } from '../log/log.ts';
import { broadcastRoutes } from '../realtime/broadcast-routes.ts';
import type { SocketContext } from '../realtime/channels.ts';
import { restRoutes } from '../rest/routes.ts';
import type { GatewayContext, RequestVariables } from './context.ts';
import { checkJsonBody } from './json-body.ts';
import { bearerToken, requestAddress } from './rate-limits.ts';
import { gatewayError, internalErrorResponse, unavailableResponse } from './responses.ts';

/**
 * Maximum body in bytes, by type of the API key. The lower limit allows everything that people write. The server also
 * sends the batches of an import.
 */
const MAX_BODY_BYTES = { publishable: 256 * 1024, secret: 8 * 1024 * 1024 };

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

const SERVICES = ['/rest/v1/*', '/auth/v1/*', '/realtime/v1/*'];

/**
 * Creates the entry point of the backend. It checks API keys and sizes, handles errors and routes to the services. No
 * other route of lite (its Studio, its keyless `/_system`) is reachable. backend.ts adds the routes for this machine
 * only (backups, the mailbox).
 */
export function openGateway(context: GatewayContext, sockets: SocketContext): Hono<RequestVariables> {
  const gateway = new Hono<RequestVariables>();
  gateway.onError((error) =>
    error instanceof UnavailableError ? unavailableResponse() : internalErrorResponse(error),
  );
  gateway.notFound((c) => c.json({ code: 'not_found', message: 'There is nothing here.' }, 404));
  gateway.use(refuseTrace);
  gateway.get('/health', (c) => c.json({ status: 'ok' }));

  const databaseTime = limitDatabaseTime(context.keys);
  gateway.use('/storage/v1/*', databaseTime);
  for (const service of SERVICES) {
    gateway.use(service, crossOrigin, hideFaults, databaseTime);
  }
  gateway.get('/auth/v1/.well-known/jwks.json', (c) => {
    c.header('cache-control', 'public, max-age=600');
    return c.json(context.tokens.jwks);
  });
  // Come before the key check, because a link that is opened in a browser sends no API key.
  gateway.get('/auth/v1/verify', (c) => redirectToConfirmationPage(c, context));
  gateway.get('/auth/v1/authorize', authorize);
  for (const service of SERVICES) {
    gateway.use(service, requireApiKey(context.keys), ...jsonBody);
  }
  gateway.route('/rest/v1', restRoutes(context));
  gateway.route('/auth/v1', authRoutes(context));
  gateway.route('/realtime/v1', broadcastRoutes(sockets));
  return gateway;
}

/** Rejects TRACE, because creating a Request object with this method throws, here and in functions. */
const refuseTrace = createMiddleware<RequestVariables>(async (c, next) => {
  if (c.req.method !== 'TRACE') return next();
  return c.json({ code: 'invalid', message: 'This method is not supported.' }, 405, {
    allow: METHODS.join(', '),
  });
});

const crossOrigin = cors({
  origin: '*',
  allowMethods: METHODS,
  exposeHeaders: [
    'content-range',
    'content-location',
    'preference-applied',
    'retry-after',
    'x-sb-error-code',
  ],
  maxAge: 86_400,
});

/**
 * Replaces responses with a status of 500 or more, unless the backend itself wrote them. Responses of libraries may
 * reveal internals.
 */
const hideFaults = createMiddleware<RequestVariables>(async (c, next) => {
  await next();
  if (c.res.status < 500) return;
  const body = await c.res.clone().text();
  if (/^\{"code":("PT5\d\d"|"57014"|"internal"|\d+,"error_code")/.test(body)) return;
  const fault = internalErrorResponse(
    new Error(`${c.req.method} ${c.req.path} answered ${c.res.status}: ${body}`),
  );
  // Otherwise Hono would merge in the headers of the replaced response, which belong to another body.
  c.res = undefined;
  c.res = fault;
  c.header('access-control-allow-origin', '*');
});

export function requireApiKey(keys: Keys) {
  return createMiddleware<RequestVariables>(async (c, next) => {
    const key = c.req.header('apikey');
    if (!key) return gatewayError('No API key found in request', 'No `apikey` request header was found.');
    const keyType = apiKeyTypeOf(keys, key);
    if (!keyType) return gatewayError('Invalid API key', 'Double check your Supabase `apikey`.');
    c.set('apiKeyType', keyType);

    const bearer = bearerToken(c.req.header('authorization'));
    // supabase-js sends the API key as token if there is no session.
    c.set('token', bearer === key ? undefined : bearer);
    c.set('address', requestAddress(c, keys));
    return next();
  });
}

const jsonBody = checkJsonBody({
  maxSize: (c) => MAX_BODY_BYTES[c.get('apiKeyType')],
  tooLarge: () =>
    Response.json(
      { code: 'too_large', message: 'The request is too large. Send less at once.' },
      { status: 413 },
    ),
  tooDeep: () =>
    Response.json({ code: 'invalid', message: 'The JSON is nested too deeply.' }, { status: 422 }),
  tooMany: () =>
    Response.json(
      { code: 'rate_limited', message: 'Too many requests are being sent. Let one finish first.' },
      { status: 429 },
    ),
});

/**
 * Wraps a listener: each request runs under the id that the website has given it, or under a new one. The response has
 * the id in a header.
 */
export function withRequestId(listener: RequestListener): RequestListener {
  return (request, response) => {
    const receivedId = request.headers[REQUEST_ID_HEADER];
    const id = isRequestId(receivedId) ? receivedId : newRequestId();
    response.setHeader(REQUEST_ID_HEADER, id);
    runWithRequestId(id, () => listener(request, response));
  };
}
