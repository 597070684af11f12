import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Account } from './newsroom.ts';

/**
 * A client without scripts: stores the cookies of one site, posts forms as a browser does, and follows no
 * redirects.
 */
export type CookieJar = {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(
    path: string,
    fields?: Record<string, string> | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** The cookies that the next request sends. */
  cookies: Map<string, string>;
};

export function cookieJar(site: string): CookieJar {
  const cookies = new Map<string, string>();

  async function send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie ? { cookie } : {}), ...(init.headers as Record<string, string>) };
    const answer = await fetch(site + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers: { ...RELOAD, ...headers } }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        body: fields instanceof FormData ? fields : new URLSearchParams(fields),
        headers: { origin: site, ...headers },
      }),
  };
}

/** Returns the action and the unchanged fields of the form whose button has this text. @throws if there is none */
export function findForm(page: string, button: string): { action: string; fields: Record<string, string> } {
  for (const [, attributes = '', inside = ''] of page.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
    if (!inside.includes(button)) continue;
    const tags = [...inside.matchAll(/<(input|button)([^>]*)>([^<]*)/g)];
    const fields = tags
      .filter(([, tag, , words]) => tag === 'input' || words?.includes(button))
      .map(([, , given = '']) => [attribute(given, 'name'), attribute(given, 'value') ?? ''] as const)
      .filter((field): field is [string, string] => field[0] !== undefined);
    return { action: attribute(attributes, 'action') ?? '', fields: Object.fromEntries(fields) };
  }
  throw new Error(`No form has a button "${button}".`);
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`)
    .exec(attributes)?.[1]
    ?.replaceAll('&amp;', '&')
    .replaceAll('&#38;', '&');
}

/**
 * Returns the hidden field of a form with the values that it was loaded with; '' if it has none.
 * @param form value of the form's field `form`. Default: the first form of the page that has the hidden field.
 */
export function seenField(page: string, form?: string): string {
  const before = form === undefined ? '' : `name="form" value="${form}">\\s*<input type="hidden" `;
  const [, seen = ''] = new RegExp(`${before}name="seen" value="([^"]*)"`).exec(page) ?? [];
  return seen.replaceAll(/&quot;|&#34;/g, '"').replaceAll(/&amp;|&#38;/g, '&');
}

/**
 * Header of a request for the newest page, as a browser sends it for a reload. Other requests may get the page from
 * before a change, for half a second.
 */
export const RELOAD = { 'cache-control': 'no-cache' };

type Credentials = Pick<Account, 'email' | 'password'>;

/** Signs in with the form, and returns the session's cookies. @param site base URL */
export async function signInWithCookies(
  site: string,
  { email, password }: Credentials,
  headers?: Record<string, string>,
): Promise<CookieJar> {
  const jar = cookieJar(site);
  expect((await jar.post('/sign-in', { email, password }, headers)).status).toBe(303);
  return jar;
}

/** Returns whether an account can sign in with this password. */
export async function canSignIn(site: string, { email, password }: Credentials): Promise<boolean> {
  return (await cookieJar(site).post('/sign-in', { email, password })).status === 303;
}

/** Returns the person whom the site recognises by the cookies, or null. */
export async function currentPerson(jar: CookieJar): Promise<Record<string, unknown> | null> {
  const answer = await jar.get('/api/me', { 'sec-fetch-site': 'same-origin' });
  return ((await answer.json()) as { person: Record<string, unknown> | null }).person;
}

/** Returns the status and the target of a redirect. */
export const redirectOf = (answer: Response) => [answer.status, answer.headers.get('location')];

/** Returns the text of a page without its times. */
export const withoutTimes = (page: string) => page.replaceAll(/<time.*?<\/time>|\d\d:\d\d/gs, '');

/** A raw HTTP response. `status` is 0 if the connection ended without a response. */
export type RawResponse = { status: number; headers: Headers; text: string; raw: string };

/** Milliseconds after which an open connection fails the test. */
const TIMEOUT_MS = 10_000;

/** Sends bytes that no HTTP client would send, and reads until the server closes the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawResponse> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => void pieces.push(piece));
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await closed.catch((error: Error) => {
    // A reset ends the response too.
    if (error.name === 'AbortError')
      throw new Error(`The server closes the connection of ${JSON.stringify(String(bytes).slice(0, 100))}.`);
  });
  socket.destroy();
  return read(Buffer.concat(pieces).toString('latin1'));
}

function read(all: string): RawResponse {
  const [head = '', ...rest] = all.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
  return { status: Number(first.split(' ')[1] ?? 0), headers, text: rest.join('\r\n\r\n'), raw: all };
}

/** Writes a request with `Connection: close`. Adds Host and Content-Length unless they are given. */
export function rawRequest(
  url: string,
  path: string,
  { method = 'GET', headers = [], body = '' }: { method?: string; headers?: string[]; body?: string } = {},
): string {
  const hasHeader = (name: string) => headers.some((line) => line.toLowerCase().startsWith(name));
  const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', ...headers];
  if (!hasHeader('host:')) lines.push(`Host: ${new URL(url).host}`);
  if (body && !hasHeader('content-length:') && !hasHeader('transfer-encoding:'))
    lines.push(`Content-Length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the value of a hidden field; '' without it. */
export const hiddenField = (page: string, name: string): string =>
  new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
