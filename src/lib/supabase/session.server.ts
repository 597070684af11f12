import { type CookieMethodsServer, createServerClient, parseCookieHeader } from '@supabase/ssr';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import type { Database } from './database.types.ts';
import { backendSettings } from './settings.ts';

const SESSION_COOKIE = 'stoppress-session';

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
  const current = new Map(sent(context.request));
  const cookies: CookieMethodsServer = {
    getAll: () => [...current].map(([name, value]) => ({ name, value })),
    setAll(list, noStore) {
      for (const { name, value, options } of list) {
        if (value === '') current.delete(name);
        else current.set(name, value);
        // ssr has encoded the value already.
        context.cookies.set(name, value, { ...options, encode: (already) => already });
      }
      for (const [name, value] of Object.entries(noStore)) headers.set(name, value);
    },
  };
  const wait: { seconds?: number } = {};
  const client = createServerClient<Database>(url, publishableKey, {
    cookies,
    cookieOptions: {
      name: SESSION_COOKIE,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: context.url.protocol === 'https:',
      maxAge: LONGEST_COOKIE_S,
    },
    // So that failures are counted for the visitor's address, not for this server's.
    global: {
      headers: { 'x-forwarded-for': context.clientAddress },
      async fetch(input, init) {
        const response = await fetch(input, init);
        wait.seconds = Number(response.headers.get('retry-after')) || undefined;
        return response;
      },
    },
  });
  waits.set(client, wait);
  return client;
}

const waits = new WeakMap<SupabaseClient<Database>, { seconds?: number }>();

/** Seconds that the last answer to a session client asked to wait: auth-js keeps its headers to itself. */
export function askedToWait(client: SupabaseClient<Database>): number | undefined {
  return waits.get(client)?.seconds;
}

/** True when a request carries a session cookie. */
export function hasSessionCookie(request: Request): boolean {
  return sessionCookies(request).length > 0;
}

/** Takes the session cookie away from the browser, whatever has become of the session itself. */
export function dropSessionCookie(context: APIContext): void {
  for (const name of sessionCookies(context.request)) context.cookies.delete(name, { path: '/' });
}

/** A long session is kept in parts: `name.0`, `name.1`. */
function sessionCookies(request: Request): string[] {
  return sent(request)
    .map(([name]) => name)
    .filter((name) => name === SESSION_COOKIE || name.startsWith(`${SESSION_COOKIE}.`));
}

function sent(request: Request): [name: string, value: string][] {
  return parseCookieHeader(request.headers.get('cookie') ?? '').map(({ name, value }) => [name, value ?? '']);
}
