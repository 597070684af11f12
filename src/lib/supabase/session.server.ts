import { type CookieMethodsServer, createServerClient } from '@supabase/ssr';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import { fetchInTime, fetchWithin } from '../http/fetch-in-time.ts';
import { LONGEST_READ_MS } from '../http/patience.ts';
import { isSecureSite } from '../site/address.ts';
import type { Database } from './database.types.ts';
import { naming } from './request-fetch.server.ts';
import { readableCookies, sessionCookie, sessionCookies } from './session-cookie.ts';
import { backendSettings } from './settings.ts';

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
