import { type CookieMethodsServer, createServerClient, parseCookieHeader } from '@supabase/ssr';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import type { Database } from '../domain/database.types.ts';
import { backendSettings } from './backend-settings.ts';
import { fetchInTime, fetchWithin, LONGEST_READ_MS } from './fetch-timeout.ts';
import { naming } from './request-fetch.server.ts';
import { isSecureSite } from './site-address.ts';

const NAME = 'stoppress-session';
/** Where visitors come by https, no other site of the same domain can put a session of its own in the place of this one. */
const BOUND_TO_HOST = '__Host-';

const ENCODED = 'base64-';

/** The most parts that a session comes in. */
const MOST_PARTS = 8;

export const sessionCookie = (): string => (isSecureSite() ? `${BOUND_TO_HOST}${NAME}` : NAME);

/** The cookies of a request that a session is kept in: one, or its parts `name.0`, `name.1`. */
export function sessionCookies(request: Request): [name: string, value: string][] {
  const name = sessionCookie();
  return parseCookieHeader(request.headers.get('cookie') ?? '')
    .filter((cookie) => cookie.name === name || cookie.name.startsWith(`${name}.`))
    .map((cookie) => [cookie.name, cookie.value ?? '']);
}

/**
 * The same, but empty where together they are no session as we write them: whoever sends them may have written them, and
 * what reads them further on takes them as they are.
 */
export function readableCookies(request: Request): [name: string, value: string][] {
  const cookies = sessionCookies(request);
  return isSession(decoded(joined(new Map(cookies)))) ? cookies : cookies.map(([name]) => [name, '']);
}

/** As @supabase/ssr puts it together. */
function joined(cookies: ReadonlyMap<string, string>): string {
  const name = sessionCookie();
  const whole = cookies.get(name);
  if (whole) return whole;
  let text = '';
  for (let part = 0; part < MOST_PARTS; part++) {
    const piece = cookies.get(`${name}.${part}`);
    if (!piece) break;
    text += piece;
  }
  return text;
}

function decoded(text: string): unknown {
  if (!text.startsWith(ENCODED) || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    return JSON.parse(utf8.decode(Buffer.from(text.slice(ENCODED.length), 'base64url')));
  } catch {
    return undefined;
  }
}

/** Three pieces of base64url. */
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

/** What a request tells of whoever makes it. */
type Visit = Pick<APIContext, 'clientAddress' | 'request'>;

/** 400 days, the longest that browsers keep a cookie; how long a session lives is the backend's to say. */
const LONGEST_COOKIE_S = 400 * 24 * 3600;

/**
 * The client of one request: it acts as the person whose session cookie the request carries, and writes
 * the cookie anew when the session changes. Never to be shared between requests.
 * @param headers the answer's: those that forbid caching are added whenever a cookie is set
 */
export function sessionClient(context: APIContext, headers: Headers): SupabaseClient<Database> {
  const { url, publishableKey } = backendSettings();
  // What has been set while this request is answered counts too: a session may begin and end in one.
  const current = new Map(readableCookies(context.request));
  const cookies: CookieMethodsServer = {
    getAll: () => [...current].map(([name, value]) => ({ name, value })),
    setAll(list, noStore) {
      for (const { name, value, options } of list) {
        // Of a flow that ends in the browser it began in: our links work in any.
        if (name.includes('-code-verifier')) continue;
        if (value === '') current.delete(name);
        else current.set(name, value);
        // ssr has encoded the value already.
        context.cookies.set(name, value, { ...options, encode: (already) => already });
      }
      for (const [name, value] of Object.entries(noStore)) headers.set(name, value);
    },
  };
  const { global, wait } = asVisitor(context);
  const client = createServerClient<Database>(url, publishableKey, {
    cookies,
    cookieOptions: {
      name: sessionCookie(),
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecureSite(),
      maxAge: LONGEST_COOKIE_S,
    },
    db: { retry: false },
    global,
  });
  waits.set(client, wait);
  return client;
}

/** A client of one request whose session nobody keeps: to learn whether a password is somebody's. */
export function passingClient(context: Visit): SupabaseClient<Database> {
  const { url, publishableKey } = backendSettings();
  const { global, wait } = asVisitor(context);
  const auth = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
  const client = createClient<Database>(url, publishableKey, { auth, db: { retry: false }, global });
  waits.set(client, wait);
  return client;
}

/**
 * Calls as the visitor's own, so that failures are counted for the visitor's address, and devices told by the
 * visitor's browser, not by this server's. `wait` takes what the last answer asked to wait. Nobody waits for a backend
 * that stands still: whoever asks for a page is told soon; what a form has sent may take longer than to read does (a
 * mail, a function that has to start), and to give it up early would be to call undone what was done.
 */
function asVisitor({ clientAddress, request }: Visit) {
  const wait: { seconds?: number } = {};
  const inTime = naming(request.method === 'POST' ? fetchInTime : fetchWithin(LONGEST_READ_MS));
  const global = {
    headers: {
      ...backendSettings().headers,
      'x-forwarded-for': clientAddress,
      'user-agent': request.headers.get('user-agent') ?? '',
    },
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      const response = await inTime(input, init);
      wait.seconds = Number(response.headers.get('retry-after')) || undefined;
      return response;
    },
  };
  return { global, wait };
}

const waits = new WeakMap<SupabaseClient<Database>, { seconds?: number }>();

/** Seconds that the last answer to a session client asked to wait: auth-js keeps its headers to itself. */
export function askedToWait(client: SupabaseClient<Database>): number | undefined {
  return waits.get(client)?.seconds;
}

/** True when a request carries a session. */
export function hasSessionCookie(request: Request): boolean {
  return readableCookies(request).some(([, value]) => value !== '');
}

/** Takes the session cookie away from the browser, whatever has become of the session itself. */
export function dropSessionCookie(context: Pick<APIContext, 'request' | 'cookies'>): void {
  const options = { path: '/', secure: isSecureSite() };
  for (const [name] of sessionCookies(context.request)) context.cookies.delete(name, options);
}
