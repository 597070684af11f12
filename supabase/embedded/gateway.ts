import { timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { createMiddleware } from 'hono/factory';
import { gatewayRefusal, internalFault, tooLarge, unavailableAnswer } from './answers.ts';
import { leadToPage } from './auth/mail-links.ts';
import { authRoutes } from './auth/routes.ts';
import { Unavailable } from './engine/unavailable.ts';
import type { House, Visit } from './house.ts';
import type { Keys } from './keys.ts';
import { tellOutages } from './outages.ts';
import { restRoutes } from './rest-routes.ts';

/** Most bytes of a body: what people write, and what the server brings (an import comes in batches). */
const LARGEST_BODY = { everybody: 256 * 1024, server: 8 * 1024 * 1024 };

/**
 * The one door of the backend: API keys, sizes and errors are settled here, then the two services answer.
 * Nothing else of lite (its Studio, its keyless `/_system`) can be reached. What is for this machine alone (backups,
 * a demo's mailbox) backend.ts adds.
 */
export function openGateway(house: House): Hono<Visit> {
  const gateway = new Hono<Visit>();
  gateway.onError((error) => (error instanceof Unavailable ? unavailableAnswer() : internalFault(error)));
  gateway.notFound((c) => c.json({ code: 'not_found', message: 'There is nothing here.' }, 404));
  gateway.get('/health', (c) => c.json({ status: 'ok' }));

  for (const service of ['/rest/v1/*', '/auth/v1/*']) {
    gateway.use(service, crossOrigin, hideFaults, tellOutages);
  }
  gateway.get('/auth/v1/.well-known/jwks.json', (c) => {
    c.header('cache-control', 'public, max-age=600');
    return c.json(house.tokens.jwks);
  });
  // A link has no key to show.
  gateway.get('/auth/v1/verify', (c) => leadToPage(c, house));
  for (const service of ['/rest/v1/*', '/auth/v1/*']) {
    gateway.use(service, requireKey(house.keys), limitBody);
  }
  gateway.route('/rest/v1', restRoutes(house));
  gateway.route('/auth/v1', authRoutes(house));
  return gateway;
}

const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'],
  exposeHeaders: [
    'content-range',
    'content-location',
    'preference-applied',
    'retry-after',
    'x-sb-error-code',
  ],
  maxAge: 86_400,
});

/** A status of 500 and more may carry the inside of a library; only what we say ourselves is meant to be read. */
const hideFaults = createMiddleware<Visit>(async (c, next) => {
  await next();
  if (c.res.status < 500) return;
  const told = await c.res.clone().text();
  if (/^\{"code":("PT5\d\d"|"internal"|\d+,"error_code")/.test(told)) return;
  const fault = internalFault(new Error(`${c.req.method} ${c.req.path} answered ${c.res.status}: ${told}`));
  // Not merged with the answer it stands for, whose headers belong to another body.
  c.res = undefined;
  c.res = fault;
  c.header('access-control-allow-origin', '*');
});

export function requireKey(keys: Keys) {
  return createMiddleware<Visit>(async (c, next) => {
    const key = c.req.header('apikey');
    if (!key) return gatewayRefusal('No API key found in request', 'No `apikey` request header was found.');
    if (same(key, keys.secret)) c.set('keyHolder', 'server');
    else if (same(key, keys.publishable)) c.set('keyHolder', 'everybody');
    else return gatewayRefusal('Invalid API key', 'Double check your Supabase `apikey`.');

    const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    // supabase-js sends the key as the token of somebody without a session.
    c.set('token', bearer === key ? undefined : bearer);
    // The site's outer server writes this header itself; a request without it began on this machine.
    c.set('address', c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined);
    return next();
  });
}

function same(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const limitBody = createMiddleware<Visit>((c, next) =>
  bodyLimit({ maxSize: LARGEST_BODY[c.get('keyHolder')], onError: () => tooLarge() })(c, next),
);
