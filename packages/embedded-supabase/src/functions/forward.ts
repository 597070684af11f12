import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { PassThrough, Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { inspect } from 'node:util';
import { SERVER_TOKEN } from '../gateway/client-address.ts';
import { REQUEST_ID, requestHeader } from '../log/log.ts';
import type { FunctionCall } from './functions.ts';
import { type FunctionErrorCode, functionError } from './refusals.ts';

/** Headers that concern a single connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];

/**
 * Request headers that a function does not get. Cookies belong to the website, and forwarding headers of a client
 * cannot be trusted.
 */
const NOT_PASSED = [
  'host',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  SERVER_TOKEN,
  REQUEST_ID,
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
];

/** Content types of documents, which could run scripts on the website's origin. */
const ACTIVE = /^\s*(text\/html|[^;]*xml)/i;

/**
 * Returns the request headers for a function.
 * @param address address of the caller; undefined for a call from this machine
 */
function toFunction(given: Headers, address: string | undefined): Record<string, string> {
  const headers = new Headers(given);
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...NOT_PASSED, ...named]) if (name) headers.delete(name);
  headers.set('x-forwarded-for', address ?? '127.0.0.1');
  for (const [name, value] of Object.entries(requestHeader())) headers.set(name, value);
  return Object.fromEntries(headers);
}

/**
 * Returns the response headers for the caller, as on a hosted project: without cookies, and without content that a
 * browser would run.
 */
function fromFunction(given: IncomingHttpHeaders, status: number): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (HOP_BY_HOP.includes(name) || name === 'set-cookie' || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (ACTIVE.test(headers.get('content-type') ?? '')) {
    headers.set('content-type', 'text/plain; charset=utf-8');
  }
  headers.set('x-content-type-options', 'nosniff');
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  if (status >= 500 && !headers.has('sb-error-code')) headers.set('sb-error-code', 'EDGE_FUNCTION_ERROR');
  return headers;
}

/** Timeouts in milliseconds, as on a hosted project: until the response begins, and for the whole call. */
const TIMES = { answerMs: 150_000, wholeMs: 400_000 };

/**
 * Milliseconds to wait for the reason of a broken connection. The exit code of an ended process arrives a moment later.
 * If the process is still running then, the function itself closed the connection.
 */
const WHY_MS = 1_000;

/** Maximum request body in bytes. Photos are uploaded to Storage and not sent through a function. */
export const LARGEST_BODY = 6 * 1024 * 1024;

/** Error of a response that broke off. The log shows the function's name instead of a stack trace of streams. */
class BrokenOff extends Error {
  [inspect.custom]() {
    return this.message;
  }
}

/**
 * Forwards a request to a function and returns its response. Both bodies are streamed.
 * @param path begins with the function's name
 */
export function forward(
  asked: Request,
  path: string,
  { connection, ended }: FunctionCall,
  address: string | undefined,
  { answerMs, wholeMs } = TIMES,
): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const refuse = (code: FunctionErrorCode) => {
    resolve(functionError(code));
    connection.destroy();
  };
  const giveUp = () => connection.destroy();
  const late = setTimeout(refuse, answerMs, 'IDLE_TIMEOUT');
  const whole = setTimeout(giveUp, wholeMs);
  asked.signal.addEventListener('abort', giveUp);
  if (asked.signal.aborted) giveUp();
  connection.once('close', () => {
    clearTimeout(late);
    clearTimeout(whole);
    asked.signal.removeEventListener('abort', giveUp);
  });

  const outgoing = httpRequest({
    createConnection: () => connection,
    method: asked.method,
    path,
    headers: toFunction(asked.headers, address),
  });
  outgoing.on('error', () => {
    const brokeOff = new Promise<FunctionErrorCode>((tell) =>
      setTimeout(tell, WHY_MS, 'WORKER_ERROR').unref(),
    );
    Promise.race([ended, brokeOff]).then(refuse);
  });
  outgoing.on('response', (incoming) => {
    clearTimeout(late);
    // Deno lets a function pass on any status that it received. A Response of Node accepts only 200 to 599.
    const { statusCode = 0 } = incoming;
    if (statusCode < 200 || statusCode > 599) refuse('INVALID_RESPONSE_STATUS_CODE');
    else resolve(answerOf(incoming, statusCode, asked.method, path));
  });

  if (asked.body) {
    const body = Readable.fromWeb(asked.body as ReadableStream);
    const counted = counting(LARGEST_BODY, () => refuse('TOO_LARGE'));
    body.on('error', giveUp);
    // Reads and discards the rest of the body, because the caller's connection would hang otherwise.
    connection.once('close', () => body.unpipe().resume());
    body.pipe(counted).pipe(outgoing);
  } else {
    outgoing.end();
  }
  return promise;
}

/** Creates a stream that passes at most this many bytes. If there are more, it calls `onTooMuch` and stops. */
function counting(most: number, onTooMuch: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) onTooMuch();
      else done(null, chunk);
    },
  });
}

function answerOf(incoming: IncomingMessage, status: number, method: string, path: string): Response {
  const headers = fromFunction(incoming.headers, status);
  const isEmpty = method === 'HEAD' || [204, 205, 304].includes(status);
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(passed(incoming, path)) as unknown as BodyInit);
  return new Response(body, { status, headers });
}

function passed(incoming: IncomingMessage, path: string): PassThrough {
  const body = new PassThrough();
  incoming.once('error', () => {
    body.destroy(new BrokenOff(`function ${/[\w-]+/.exec(path)}: its answer broke off.`));
  });
  body.once('close', () => incoming.destroy());
  return incoming.pipe(body);
}
