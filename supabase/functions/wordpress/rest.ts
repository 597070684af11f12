import { base64 } from '../_shared/crypto.ts';
import {
  type HttpRequest,
  type HttpResponse,
  ResponseTooLarge,
  sendRequest,
  withTimeLimit,
} from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import {
  type ConnectionTarget,
  connect,
  connectionTarget,
  type NetworkAccess,
  privateTarget,
} from '../_shared/network.ts';
import { Refused } from '../_shared/refusals.ts';

/** A WordPress site, and the user whose rights our requests have. */
export type WordPress = {
  /** Address without a slash at its end. */
  url: string;
  username: string;
  /** Application password. */
  password: string;
};

/** How requests reach a site. */
export type WordPressAccess = {
  net: NetworkAccess;
  /** Origin of a site in a private network that the operator of the server allows. */
  privateOrigin?: string;
  /** Limits of a request. */
  ms: number;
  bytes: number;
};

/** Limits of a request to WordPress. A photo may take some time on a slow host. */
export const REQUEST_LIMITS = { ms: 20_000, bytes: 1_000_000 };

/** A call of the REST interface: the path of its route, its parameters, and what is sent. */
type RestCall = {
  route: string;
  query?: Record<string, string>;
  json?: object;
  /** A file, with its media type and name. */
  file?: { bytes: Uint8Array<ArrayBuffer>; type: string; name: string };
};

/**
 * Returns the address of a site as it is stored.
 * @throws Refused `invalid` if requests to it are not allowed
 */
export function readSiteAddress(text: string, privateOrigin: string | undefined): string {
  const typed = text.trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (typed.length > LIMITS.url || !url || url.search || url.hash) throw refuse('invalid_address');
  const address = url.href.replace(/\/+$/, '').replace(/\/wp-(admin|login\.php|json)$/, '');
  targetOf(address, privateOrigin);
  return address;
}

function targetOf(address: string, privateOrigin: string | undefined): ConnectionTarget {
  const allowed = privateTarget(new URL(address), privateOrigin);
  if (allowed) return allowed;
  const target = connectionTarget(address);
  // The password is sent with each request.
  if (!target.isSecure) throw refuse('wordpress_needs_https');
  return target;
}

/**
 * Calls the REST interface of a site and returns its answer. Redirects are not followed, because the password would be
 * sent to another address.
 * @throws Refused whose reason says what is wrong with the site, its user or the password
 */
export async function callWordPress(
  site: WordPress,
  call: RestCall,
  access: WordPressAccess,
): Promise<unknown> {
  const query = new URLSearchParams(call.query);
  const pretty = await request(site, `/wp-json${call.route}?${query}`, call, access);
  if (!isPageOf(site, pretty)) return successOf(pretty);
  // Without permalinks, WordPress answers its interface at this address only. The first request did nothing.
  query.set('rest_route', call.route);
  return successOf(await request(site, `/index.php?${query}`, call, access));
}

/**
 * Whether WordPress took the path for that of a page: it answers with one, or redirects to another spelling of the path.
 * A page is HTML; an answer of the interface has the type of JSON even when PHP has written a warning before it.
 */
function isPageOf({ url }: WordPress, { status, type, location }: Answer): boolean {
  if (status === 200 || status === 404) return !type.includes('json');
  const target = status >= 300 && status < 400 && location !== null ? URL.parse(location, url) : null;
  return target !== null && target.origin === new URL(url).origin && target.pathname.includes('/wp-json');
}

/** The request was sent, but not answered: WordPress may have done it, or be doing it. */
export class AnswerLost extends Refused {}

type Answer = { status: number; type: string; value: unknown; location: string | null };

async function request(
  { url, username, password }: WordPress,
  path: string,
  call: RestCall,
  access: WordPressAccess,
): Promise<Answer> {
  const target = targetOf(`${url}${path}`, access.privateOrigin);
  const authorization = base64(new TextEncoder().encode(`${username}:${password}`));
  const outgoing = outgoingRequest(call, authorization);
  let isSent = false;
  const send = async (signal: AbortSignal): Promise<Answer> => {
    const isAllowed = privateTarget(target.url, access.privateOrigin) !== undefined;
    const connection = isAllowed
      ? await access.net.connect(target.host, target, signal)
      : await connect(target, access.net, signal);
    signal.addEventListener('abort', () => connection.close());
    isSent = true;
    return readAnswer(await sendRequest(target, connection, outgoing, access.bytes), access.bytes);
  };
  try {
    return await withTimeLimit(access.ms, send);
  } catch (error) {
    // The cause of a network error would reveal the internal network.
    if (error instanceof Refused && error.reason !== 'page_unreachable') throw error;
    throw new (isSent ? AnswerLost : Refused)('unavailable', 'wordpress_unreachable');
  }
}

function outgoingRequest({ json, file }: RestCall, authorization: string): HttpRequest {
  const headers = {
    'User-Agent': 'Stoppress',
    Accept: 'application/json',
    Authorization: `Basic ${authorization}`,
  };
  if (file) {
    const about = { 'Content-Type': file.type, 'Content-Disposition': `attachment; filename="${file.name}"` };
    return { method: 'POST', headers: { ...headers, ...about }, body: file.bytes };
  }
  if (!json) return { method: 'GET', headers };
  const body = new TextEncoder().encode(JSON.stringify(json));
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** Reads an answer. Its value is undefined if it is not JSON. */
async function readAnswer({ status, headers, body }: HttpResponse, maxBytes: number): Promise<Answer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxBytes) throw new ResponseTooLarge();
    parts.push(part.slice());
  }
  const text = await new Blob(parts).text();
  const type = headers.get('content-type') ?? '';
  return { status, type, value: parseJson(text), location: headers.get('location') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an error of the REST interface: `{ code, message, data }`. */
const isRestError = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';

/** Returns the value of a successful answer. @throws Refused for all others */
function successOf({ status, value, location }: Answer): unknown {
  if (status >= 200 && status < 300 && typeof value === 'object' && value !== null) return value;
  if (status >= 300 && status < 400 && location !== null) {
    const details = { location: location.slice(0, 200) };
    throw new Refused('bad_state', 'wordpress_moved', { details });
  }
  if (status >= 500 || status === 429) throw new Refused('unavailable', 'wordpress_unreachable');
  if (isRestError(value) && status === 401) throw new Refused('bad_state', 'wordpress_password_refused');
  if (isRestError(value) && status === 403) throw new Refused('bad_state', 'wordpress_may_not_write');
  throw new Refused('bad_state', 'wordpress_not_understood');
}

/** Returns the id in a response. @throws Refused if it has none */
export function responseId(value: unknown): number {
  const { id } = value as { id?: unknown };
  if (!Number.isInteger(id)) throw new Refused('bad_state', 'wordpress_not_understood');
  return id as number;
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
