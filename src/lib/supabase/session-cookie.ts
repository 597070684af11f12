import { parseCookieHeader } from '@supabase/ssr';
import { isSecureSite } from '../site/address.ts';

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
