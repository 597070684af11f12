import { type CookieMethodsServer, createServerClient, parseCookieHeader } from '@supabase/ssr';
import { createClient, isAuthRetryableFetchError } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import type { Database } from '../domain/database.types.ts';
import type { Person } from '../domain/permissions.ts';
import { SIGNED_IN_COOKIE } from '../domain/sign-in.ts';
import { Refused, refusalFrom } from '../i18n/refusals.ts';
import { backendSettings, isSecureSite } from './environment.ts';
import { fetchWithin, fetchWithTimeout, READ_TIMEOUT_MS, withDeadline } from './fetch-timeout.ts';
import { withRequestIdHeader } from './reader-client.server.ts';
import type { BackendClient } from './result.ts';

export type Session = {
  /** The signed-in person, or null. */
  person: Person | null;
  /** Client with that person's permissions, or those of a visitor. */
  backend: BackendClient;
};

/** Fields that the middleware sets for private routes. `person` is the refusal if the session could not be read. */
export type SessionLocals = { backend: BackendClient; person: Person | null | Refused };

/**
 * Reads the session of a private route into `context.locals`, refreshing it if it is about to expire. Call it before
 * the first byte of the response.
 * @returns headers for the response. They may be added until the response is complete, so copy them at the end.
 */
export async function refreshSessionCookies(context: APIContext): Promise<Headers> {
  const headers = new Headers();
  const backend = sessionClient(context, headers);
  context.locals.backend = backend;
  context.locals.person = hasSessionCookie(context.request)
    ? // auth-js retries for half a minute. A token that arrives too late is lost with its request; the previous refresh
      // token can be used once more in that case.
      await withDeadline(readPerson(backend), READ_TIMEOUT_MS).catch(asRefused)
    : null;
  return headers;
}

/**
 * Returns the person of a client's session; null if there is none, it has ended or the account is closed. A client
 * whose session has ended becomes that of a visitor.
 * @throws Refused if the backend does not answer (`unavailable`) or limits requests (`rate_limited`)
 */
export async function readPerson(backend: BackendClient): Promise<Person | null> {
  const { data, error } = await backend.auth.getClaims();
  if (isAuthRetryableFetchError(error)) throw new Refused('unavailable');
  if (error?.status === 429) throw new Refused('rate_limited', { retryAfter: retryAfterOf(backend) });
  if (!data) return null;
  const me = await backend.rpc('get_me');
  if (!me.error) return me.data as Person | null;
  const reason = await refusalFrom(me.error, me.status);
  if (reason.code === 'signed_out') {
    // The backend refuses every request with this token, also those that visitors may send.
    await backend.auth.signOut({ scope: 'local' });
    return null;
  }
  throw new Refused(reason);
}

/**
 * Returns the session that the middleware has read. Throws on a public route, which has none.
 * @throws Refused (`unavailable`, `internal`) if the session could not be read
 */
export function sessionOf(locals: App.Locals): Session {
  const { person, backend } = locals;
  if (person === undefined || !backend) throw new Error('This route is not among the private ones.');
  if (person instanceof Refused) throw person;
  return { person, backend };
}

/** Stored instead of thrown, because some routes, such as signing out, do not need the person. */
function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

const COOKIE_NAME = 'stoppress-session';
/** Cookie prefix for https sites. It prevents other sites of the same domain from setting a session cookie. */
const HOST_PREFIX = '__Host-';

const ENCODING_PREFIX = 'base64-';

/** Maximum number of cookies that one session is split into. */
const MAX_PARTS = 8;

const sessionCookie = (): string => (isSecureSite() ? `${HOST_PREFIX}${COOKIE_NAME}` : COOKIE_NAME);

/** Returns the session cookies of a request: one, or its parts `name.0`, `name.1`. */
function sessionCookies(request: Request): [name: string, value: string][] {
  const name = sessionCookie();
  return parseCookieHeader(request.headers.get('cookie') ?? '')
    .filter((cookie) => cookie.name === name || cookie.name.startsWith(`${name}.`))
    .map((cookie) => [cookie.name, cookie.value ?? '']);
}

/**
 * Returns the session cookies. Their values are empty unless together they form a valid session, because
 * @supabase/ssr does not validate what a client sends.
 */
function validSessionCookies(request: Request): [name: string, value: string][] {
  const cookies = sessionCookies(request);
  return isSession(decodeSession(joinCookies(new Map(cookies))))
    ? cookies
    : cookies.map(([name]) => [name, '']);
}

/** Joins the parts in the same way as @supabase/ssr. */
function joinCookies(cookies: ReadonlyMap<string, string>): string {
  const name = sessionCookie();
  const whole = cookies.get(name);
  if (whole) return whole;
  let text = '';
  for (let part = 0; part < MAX_PARTS; part++) {
    const piece = cookies.get(`${name}.${part}`);
    if (!piece) break;
    text += piece;
  }
  return text;
}

function decodeSession(text: string): unknown {
  if (!text.startsWith(ENCODING_PREFIX) || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    return JSON.parse(utf8.decode(Buffer.from(text.slice(ENCODING_PREFIX.length), 'base64url')));
  } catch {
    return undefined;
  }
}

/** A JSON Web Token: three parts in base64url. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function isSession(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { access_token, refresh_token, expires_at, user } = value as Record<string, unknown>;
  return (
    typeof access_token === 'string' &&
    TOKEN.test(access_token) &&
    typeof refresh_token === 'string' &&
    /^[\x21-\x7e]{1,1000}$/.test(refresh_token) &&
    Number.isFinite(expires_at) &&
    (user === undefined || (typeof user === 'object' && user !== null))
  );
}

/** Parts of a request that identify the visitor. */
type VisitorRequest = Pick<APIContext, 'clientAddress' | 'request'>;

/** 400 days, the maximum in browsers. The backend decides how long a session lives. */
const MAX_COOKIE_AGE_S = 400 * 24 * 3600;

/**
 * Creates the client of one request. It acts as the person of the request's session cookie, and sets the cookie when
 * the session changes. Do not share it between requests.
 * @param headers headers of the response. Receives those that forbid caching whenever a cookie is set.
 */
function sessionClient(context: APIContext, headers: Headers): BackendClient {
  const { url, publishableKey } = backendSettings();
  // Includes cookies set during this request: a session may begin and end in one.
  const current = new Map(validSessionCookies(context.request));
  const { global, limit } = visitorOptions(context);
  const cookies: CookieMethodsServer = {
    getAll: () => [...current].map(([name, value]) => ({ name, value })),
    setAll(list, noStore) {
      // Code verifiers bind a flow to the browser in which it began. Our links work in any browser.
      const parts = list.filter(({ name }) => !name.includes('-code-verifier'));
      // auth-js removes an expired session if its refresh is rate-limited. A later request can still refresh it.
      if (limit.hasRefusedRefresh && parts.every(({ value }) => value === '')) return;
      for (const { name, value, options } of parts) {
        if (value === '') current.delete(name);
        else current.set(name, value);
        // @supabase/ssr has already encoded the value.
        context.cookies.set(name, value, { ...options, encode: (already) => already });
      }
      if (parts.length > 0) markSignedIn(context, [...current.values()].some(Boolean));
      for (const [name, value] of Object.entries(noStore)) headers.set(name, value);
    },
  };
  const client = createServerClient<Database>(url, publishableKey, {
    cookies,
    cookieOptions: {
      name: sessionCookie(),
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecureSite(),
      maxAge: MAX_COOKIE_AGE_S,
    },
    db: { retry: false },
    global,
  });
  rateLimits.set(client, limit);
  return client;
}

/** Creates a client of one request that stores no session, for checking a password. */
export function temporaryClient(context: VisitorRequest): BackendClient {
  const { url, publishableKey } = backendSettings();
  const { global, limit } = visitorOptions(context);
  const auth = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
  const client = createClient<Database>(url, publishableKey, { auth, db: { retry: false }, global });
  rateLimits.set(client, limit);
  return client;
}

/** The backend's rate limit as the responses to one client show it. auth-js does not expose their headers. */
type RateLimit = {
  /** Seconds to wait: the Retry-After header of the last response. */
  retryAfter?: number;
  hasRefusedRefresh: boolean;
};

/**
 * Settings for calls on behalf of a visitor. Failures are counted for the visitor's address, and sessions show the
 * visitor's browser. Reads have a short timeout. Form submissions get a longer one: they may send mail or start a
 * function, and a timeout would report a completed action as failed. `limit` is updated with every response.
 */
function visitorOptions({ clientAddress, request }: VisitorRequest) {
  const limit: RateLimit = { hasRefusedRefresh: false };
  const timedFetch = withRequestIdHeader(
    request.method === 'POST' ? fetchWithTimeout : fetchWithin(READ_TIMEOUT_MS),
  );
  const global = {
    headers: {
      ...backendSettings().headers,
      'x-forwarded-for': clientAddress,
      'user-agent': request.headers.get('user-agent') ?? '',
    },
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      const response = await timedFetch(input, init);
      limit.retryAfter = Number(response.headers.get('retry-after')) || undefined;
      if (isRefresh(input)) limit.hasRefusedRefresh = response.status === 429;
      return response;
    },
  };
  return { global, limit };
}

/** Whether a call of auth-js refreshes a session. */
const isRefresh = (input: RequestInfo | URL): boolean => String(input).includes('grant_type=refresh_token');

const rateLimits = new WeakMap<BackendClient, RateLimit>();

/** Returns the seconds to wait from the last response. */
export function retryAfterOf(client: BackendClient): number | undefined {
  return rateLimits.get(client)?.retryAfter;
}

/** Whether the request carries a session. */
function hasSessionCookie(request: Request): boolean {
  return validSessionCookies(request).some(([, value]) => value !== '');
}

/** Sets or deletes the cookie by which public pages show the account link. */
function markSignedIn({ cookies }: Pick<APIContext, 'cookies'>, isSignedIn: boolean): void {
  const options = { path: '/', secure: isSecureSite(), sameSite: 'lax' } as const;
  if (isSignedIn) cookies.set(SIGNED_IN_COOKIE, '1', { ...options, maxAge: MAX_COOKIE_AGE_S });
  else cookies.delete(SIGNED_IN_COOKIE, options);
}

/** Deletes the session cookie in the browser, even if the session still exists. */
export function deleteSessionCookie(context: Pick<APIContext, 'request' | 'cookies'>): void {
  const options = { path: '/', secure: isSecureSite() };
  for (const [name] of sessionCookies(context.request)) context.cookies.delete(name, options);
  markSignedIn(context, false);
}
