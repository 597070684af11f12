import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEntityTag } from '../../http/request.ts';
import { omitConnection } from '../request-headers.ts';
import { acceptedEncodings, type Encoding } from './compress.ts';
import { type Copy, isBrief, isSmall, policyFields } from './stored-copy.ts';

/** An answer as it is written out: names and values in turn. */
type Form = { headers: string[]; body: Buffer | string };

/** The forms of a copy are made when they are first asked for, and anew each second, when its age is another. */
type Forms = Partial<Record<Encoding | 'held', Form>> & { second: number };

const formsOf = new WeakMap<Copy, Forms>();

/** Header fields of the connection, and those that are told anew. */
const DROPPED = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'set-cookie',
  'age',
];

/** What a client hears of the page that it holds already: not its policies, which belong to the copy that it has. */
const HELD = ['cache-control', 'cache-tag', 'etag'];

/** Of what lives for a moment no cache needs to be told what it is made of: it is gone before it could be purged. */
const NAMES = 'cache-tag';

/** Sends a copy as the client asked for it: in its encoding, without its body, or not again. */
export function send(request: IncomingMessage, response: ServerResponse, copy: Copy, now: number): void {
  const held = fieldOf(request, 'if-none-match');
  const notAgain = held !== undefined && copy.status === 200 && matchesEntityTag(held, copy.headers.etag);
  const { headers, body } = formOf(copy, notAgain ? 'held' : encodingOf(request, copy), now);
  if (isBrief(copy)) omitConnection(response);
  response.writeHead(notAgain ? 304 : copy.status, headers);
  // Node keeps the body of an answer to HEAD, and of a 304, to itself. Each character of a text is one byte here.
  response.end(body, 'latin1');
}

/** One field of a request, as it came: to sort all of them takes longer than to send the answer. */
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
  // What is a text goes out in one piece with its headers, which is worth more than the copying of few bytes.
  return { headers, body: isSmall(body) ? body.toString('latin1') : body };
}
