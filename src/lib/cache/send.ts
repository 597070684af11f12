import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Copy, isSmall } from './copy.ts';
import { acceptedEncodings, type Encoding } from './encodings.ts';

/** An answer as it is written out: names and values in turn. */
type Form = { headers: string[]; body: Buffer | string };

/** The forms of a copy are made when they are first asked for. The place of Age is filled in each time. */
type Forms = Partial<Record<Encoding | 'held', Form>> & { age: string; second: number };

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

/** Sends a copy as the client asked for it: in its encoding, without its body, or not again. */
export function send(request: IncomingMessage, response: ServerResponse, copy: Copy, now: number): void {
  const held = fieldOf(request, 'if-none-match');
  const notAgain = held !== undefined && copy.status === 200 && holds(held, copy.headers.etag);
  const { headers, body } = formOf(copy, notAgain ? 'held' : encodingOf(request, copy), now);
  response.writeHead(notAgain ? 304 : copy.status, headers);
  // Node keeps the body of an answer to HEAD, and of a 304, to itself. Each character of a text is one byte here.
  response.end(body, 'latin1');
}

/** Is the version that is there among those that a client holds? (RFC 9110, 13.1.2: compared weakly) */
export function holds(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag));
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
  let forms = formsOf.get(copy);
  if (!forms) {
    forms = { age: '0', second: 0 };
    formsOf.set(copy, forms);
  }
  forms[name] ??= makeForm(copy, name);
  const form = forms[name];
  const second = Math.max(0, Math.floor((now - copy.madeAt) / 1000));
  if (second !== forms.second) {
    forms.second = second;
    forms.age = String(second);
  }
  // Always the last one.
  if (copy.lifetime) form.headers[form.headers.length - 1] = forms.age;
  return form;
}

function makeForm(copy: Copy, name: Encoding | 'held'): Form {
  const headers: string[] = [];
  for (const [field, value] of Object.entries(copy.headers)) {
    if (name === 'held' ? HELD.includes(field) : !DROPPED.includes(field)) headers.push(field, value);
  }
  // Which form it takes depends on who asks, also where the forms are the same.
  headers.push('vary', 'accept-encoding', 'date', copy.date);
  const body = name === 'held' ? Buffer.alloc(0) : (copy.bodies[name] ?? copy.bodies.identity);
  if (name === 'br' || name === 'gzip') headers.push('content-encoding', name);
  if (name !== 'held') headers.push('content-length', String(body.length));
  if (copy.lifetime) headers.push('age', '0');
  // What is a text goes out in one piece with its headers, which is worth more than the copying of few bytes.
  return { headers, body: isSmall(body) ? body.toString('latin1') : body };
}
