import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEntityTag } from '../../http/request.ts';
import {
  acceptedEncodings,
  type CachedResponse,
  type Encoding,
  isShortLived,
  isSmall,
  policyFields,
} from './cached-response.ts';

/**
 * Omits `Connection: keep-alive`, which is the default of HTTP/1.1 but not of HTTP/1.0. Used where the header would be
 * a large part of a short response.
 */
export function omitConnection(response: ServerResponse): void {
  if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader('connection');
}

/** A response ready to be written: header names and values alternate. */
type SerializedResponse = { headers: string[]; body: Buffer | string };

/** Serialised per encoding on first use, and again each second because `Age` changes. */
type SerializedForms = Partial<Record<Encoding | 'held', SerializedResponse>> & { second: number };

const formsOf = new WeakMap<CachedResponse, SerializedForms>();

/** Connection-level fields, and fields that are written again for each response. */
const OMITTED_FIELDS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'set-cookie',
  'age',
];

/** Header fields of a 304. Security policies are omitted because they belong to the stored response of the client. */
const NOT_MODIFIED_FIELDS = ['cache-control', 'cache-tag', 'etag'];

/** Short-lived responses omit their tags: they expire before a purge could reach them. */
const TAGS_FIELD = 'cache-tag';

/** Sends a stored response: in an encoding that the client accepts, without a body for HEAD, or as 304. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  copy: CachedResponse,
  now: number,
): void {
  const ifNoneMatch = fieldOf(request, 'if-none-match');
  const isNotModified =
    ifNoneMatch !== undefined && copy.status === 200 && matchesEntityTag(ifNoneMatch, copy.headers.etag);
  const { headers, body } = formOf(copy, isNotModified ? 'held' : encodingOf(request, copy), now);
  if (isShortLived(copy)) omitConnection(response);
  response.writeHead(isNotModified ? 304 : copy.status, headers);
  // Node drops the body of a response to HEAD and of a 304. Strings hold one byte per character.
  response.end(body, 'latin1');
}

/** Reads one request header from the raw list. Building `request.headers` takes longer than sending the response. */
function fieldOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  let value: string | undefined;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const field = rawHeaders[n] as string;
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    value = value === undefined ? rawHeaders[n + 1] : `${value}, ${rawHeaders[n + 1]}`;
  }
  return value;
}

function encodingOf(request: IncomingMessage, { bodies }: CachedResponse): Encoding {
  if (!bodies.br) return 'identity';
  const accepted = acceptedEncodings(fieldOf(request, 'accept-encoding'));
  return accepted.find((encoding) => bodies[encoding] !== undefined) ?? 'identity';
}

function formOf(copy: CachedResponse, name: Encoding | 'held', now: number): SerializedResponse {
  const second = copy.lifetime ? Math.max(0, Math.floor((now - copy.madeAt) / 1000)) : 0;
  let forms = formsOf.get(copy);
  if (forms?.second !== second) {
    forms = { second };
    formsOf.set(copy, forms);
  }
  forms[name] ??= serialize(copy, name, second);
  return forms[name];
}

function serialize(copy: CachedResponse, name: Encoding | 'held', second: number): SerializedResponse {
  const headers: string[] = [];
  for (const [field, value] of Object.entries(copy.headers)) {
    if (field === TAGS_FIELD && isShortLived(copy)) continue;
    if (name === 'held' ? !NOT_MODIFIED_FIELDS.includes(field) : OMITTED_FIELDS.includes(field)) continue;
    headers.push(...(field === 'cache-control' ? policyFields(value) : [field, value]));
  }
  if (copy.bodies.br) headers.push('vary', 'accept-encoding');
  headers.push('date', copy.date);
  const body = name === 'held' ? Buffer.alloc(0) : (copy.bodies[name] ?? copy.bodies.identity);
  if (name === 'br' || name === 'gzip') headers.push('content-encoding', name);
  if (name !== 'held') headers.push('content-length', String(body.length));
  if (second > 0) headers.push('age', String(second));
  // Sending a small body as a string lets Node write it together with the headers, which outweighs the copy.
  return { headers, body: isSmall(body) ? body.toString('latin1') : body };
}
