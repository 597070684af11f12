import type { APIContext } from 'astro';
import { SignJWT } from 'jose';
import { beforeEach, expect, test, vi } from 'vitest';
import { refreshSessionCookies, sessionOf } from '../../../src/lib/data/session.server.ts';
import { Refused } from '../../../src/lib/i18n/refusals.ts';

const BACKEND = 'http://backend.example';
const KEY = 'publishable';
const COOKIE = 'stoppress-session';

const json = (status: number, body: unknown, headers?: Record<string, string>) =>
  Response.json(body, { status, headers });

/** Responses of the backend by path. */
let backend: Record<string, (request: Request) => Response>;

beforeEach(() => {
  vi.stubEnv('PUBLIC_SUPABASE_URL', BACKEND);
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', KEY);
  vi.stubEnv('SITE_URL', 'http://site.example');
  backend = {
    '/auth/v1/user': () => json(200, { id: 'someone' }),
    '/auth/v1/logout': () => new Response(null, { status: 204 }),
  };
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    return backend[pathname]?.(request) ?? json(404, {});
  });
  return () => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  };
});

/** A request with a session whose access token expires after some seconds. */
async function requestWithSession(seconds: number) {
  const expires_at = Math.floor(Date.now() / 1000) + seconds;
  const access_token = await new SignJWT({ sub: 'someone' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires_at)
    .sign(new Uint8Array(32));
  const session = { access_token, refresh_token: 'refresh', expires_at, user: { id: 'someone' } };
  const cookie = `base64-${Buffer.from(JSON.stringify(session)).toString('base64url')}`;
  /** The cookies of the browser after the response. */
  const cookies = new Map([[COOKIE, cookie]]);
  const context = {
    request: new Request('http://site.example/desk', { headers: { cookie: `${COOKIE}=${cookie}` } }),
    clientAddress: '127.0.0.1',
    locals: {},
    cookies: {
      set(name: string, value: string) {
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      },
      delete: (name: string) => cookies.delete(name),
    },
  } as unknown as APIContext;
  return { context, cookies, cookie, access_token };
}

test('acts as a visitor after the session was ended elsewhere', async () => {
  const { context, cookies, access_token } = await requestWithSession(3600);
  const tokens: (string | null)[] = [];
  backend['/rest/v1/rpc/get_me'] = () => json(401, { code: 'PT401', message: 'signed_out' });
  backend['/rest/v1/rpc/read_invite'] = ({ headers }) => {
    tokens.push(headers.get('authorization'));
    return json(200, null);
  };
  await refreshSessionCookies(context);

  const session = sessionOf(context.locals);
  expect(session.person).toBe(null);
  expect([...cookies]).toEqual([]);
  await session.backend.rpc('read_invite', { token: 'token' });
  expect(tokens).toHaveLength(1);
  expect(tokens[0]).not.toContain(access_token);
});

test('keeps a session whose refresh is rate-limited', async () => {
  const { context, cookies, cookie } = await requestWithSession(-10);
  const limited = { code: 'over_request_rate_limit', msg: 'Request rate limit reached' };
  const refresh = vi.fn(() => json(429, limited, { 'retry-after': '7' }));
  backend['/auth/v1/token'] = refresh;
  await refreshSessionCookies(context);

  expect(context.locals.person).toBeInstanceOf(Refused);
  expect((context.locals.person as Refused).refusal).toMatchObject({ code: 'rate_limited', retryAfter: 7 });
  expect([...cookies]).toEqual([[COOKIE, cookie]]);
  expect(refresh).toHaveBeenCalledOnce();
});

test('deletes a session whose refresh token is rejected', async () => {
  const { context, cookies } = await requestWithSession(-10);
  backend['/auth/v1/token'] = () => json(400, { code: 'refresh_token_not_found', msg: 'Not found' });
  await refreshSessionCookies(context);

  expect(sessionOf(context.locals).person).toBe(null);
  expect([...cookies]).toEqual([]);
});
