import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEntityTag } from '../../http/request.ts';
import { omitConnection } from '../request-headers.ts';
import { acceptedEncodings, type Encoding } from './compress.ts';
import { type Copy, isBrief, isSmall, policyFields } from './stored-copy.ts';

/** A response ready to be written: header names and values alternate. */
type Form = { headers: string[]; body: Buffer | string };

/** Serialised per encoding on first use, and again each second because `Age` changes. */
type Forms = Partial<Record<Encoding | 'held', Form>> & { second: number };

const formsOf = new WeakMap<Copy, Forms>();

/** Connection-level fields, and fields that are written again for each response. */
const DROPPED = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'set-cookie',
  'age',
];

/** Header fields of a 304. Security policies are omitted because they belong to the stored response of the client. */
const HELD = ['cache-control', 'cache-tag', 'etag'];

/** Short-lived responses omit their tags: they expire before a purge could reach them. */
const NAMES = 'cache-tag';

/** Sends a stored response: in an encoding that the client accepts, without a body for HEAD, or as 304. */
export function send(request: IncomingMessage, response: ServerResponse, copy: Copy, now: number): void {
  const held = fieldOf(request, 'if-none-match');
  const notAgain = held !== undefined && copy.status === 200 && matchesEntityTag(held, copy.headers.etag);
  const { headers, body } = formOf(copy, notAgain ? 'held' : encodingOf(request, copy), now);
  if (isBrief(copy)) omitConnection(response);
  response.writeHead(notAgain ? 304 : copy.status, headers);
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

function encodingOf(request: IncomingMessage, { bodies }: Copy): Encoding {
  if (!bodies.br) return 'identity';
  const accepted = acceptedEncodings(fieldOf(request, 'accept-encoding'));
  return accepted.find((encoding) => bodies[encoding] !== undefined) ?? 'identity';
}

function formOf(copy: Copy, name: Encoding | 'held', now: number): Form {
  const second = copy.lifetime ? Math.max(0, Math.floor((now - copy.madeAt) / 1000)) : 0;
  let forms = formsOf.get(copy);
  if (forms?.second !== second) {
    forms = { second };
    formsOf.set(copy, forms);
  }
  forms[name] ??= makeForm(copy, name, second);
  return forms[name];
}

function makeForm(copy: Copy, name: Encoding | 'held', second: number): Form {
  const headers: string[] = [];
  for (const [field, value] of Object.entries(copy.headers)) {
    if (field === NAMES && isBrief(copy)) continue;
    if (name === 'held' ? !HELD.includes(field) : DROPPED.includes(field)) continue;
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
