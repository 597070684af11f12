import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { PassThrough, Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { inspect } from 'node:util';
import { SERVER_TOKEN_HEADER } from '../gateway/rate-limits.ts';
import { REQUEST_ID_HEADER, requestIdHeader } from '../log/log.ts';
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
const DROPPED_HEADERS = [
  'host',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  SERVER_TOKEN_HEADER,
  REQUEST_ID_HEADER,
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
];

/** Content types of documents, which could run scripts on the website's origin. */
const ACTIVE_CONTENT = /^\s*(text\/html|[^;]*xml)/i;

/**
 * Returns the request headers for a function.
 * @param address address of the caller; undefined for a call from this machine
 */
function functionRequestHeaders(received: Headers, address: string | undefined): Record<string, string> {
  const headers = new Headers(received);
  const connectionHeaders = (headers.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...DROPPED_HEADERS, ...connectionHeaders])
    if (name) headers.delete(name);
  headers.set('x-forwarded-for', address ?? '127.0.0.1');
  for (const [name, value] of Object.entries(requestIdHeader())) headers.set(name, value);
  return Object.fromEntries(headers);
}

/**
 * Returns the response headers for the caller, as on a hosted project: without cookies, and without content that a
 * browser would run.
 */
function callerResponseHeaders(received: IncomingHttpHeaders, status: number): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (HOP_BY_HOP.includes(name) || name === 'set-cookie' || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (ACTIVE_CONTENT.test(headers.get('content-type') ?? '')) {
    headers.set('content-type', 'text/plain; charset=utf-8');
  }
  headers.set('x-content-type-options', 'nosniff');
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  if (status >= 500 && !headers.has('sb-error-code')) headers.set('sb-error-code', 'EDGE_FUNCTION_ERROR');
  return headers;
}

/** Timeouts in milliseconds, as on a hosted project: until the response begins, and for the whole call. */
const TIMEOUTS = { responseMs: 150_000, totalMs: 400_000 };

/**
 * Milliseconds to wait for the reason of a broken connection. The exit code of an ended process arrives a moment later.
 * If the process is still running then, the function itself closed the connection.
 */
const EXIT_REASON_WAIT_MS = 1_000;

/** Maximum request body in bytes. Photos are uploaded to Storage and not sent through a function. */
export const MAX_BODY_BYTES = 6 * 1024 * 1024;

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
export function forwardRequest(
  request: Request,
  path: string,
  { connection, ended }: FunctionCall,
  address: string | undefined,
  { responseMs, totalMs } = TIMEOUTS,
): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const refuse = (code: FunctionErrorCode) => {
    resolve(functionError(code));
    connection.destroy();
  };
  const disconnect = () => connection.destroy();
  const responseTimeout = setTimeout(refuse, responseMs, 'IDLE_TIMEOUT');
  const callTimeout = setTimeout(disconnect, totalMs);
  request.signal.addEventListener('abort', disconnect);
  if (request.signal.aborted) disconnect();
  connection.once('close', () => {
    clearTimeout(responseTimeout);
    clearTimeout(callTimeout);
    request.signal.removeEventListener('abort', disconnect);
  });

  const outgoing = httpRequest({
    createConnection: () => connection,
    method: request.method,
    path,
    headers: functionRequestHeaders(request.headers, address),
  });
  outgoing.on('error', () => {
    const fallbackError = new Promise<FunctionErrorCode>((settle) =>
      setTimeout(settle, EXIT_REASON_WAIT_MS, 'WORKER_ERROR').unref(),
    );
    Promise.race([ended, fallbackError]).then(refuse);
  });
  outgoing.on('response', (incoming) => {
    clearTimeout(responseTimeout);
    // Deno lets a function pass on any status that it received. A Response of Node accepts only 200 to 599.
    const { statusCode = 0 } = incoming;
    if (statusCode < 200 || statusCode > 599) refuse('INVALID_RESPONSE_STATUS_CODE');
    else resolve(responseOf(incoming, statusCode, request.method, path));
  });

  if (request.body) {
    const body = Readable.fromWeb(request.body as ReadableStream);
    const limited = limitBytes(MAX_BODY_BYTES, () => refuse('TOO_LARGE'));
    body.on('error', disconnect);
    // Reads and discards the rest of the body, because the caller's connection would hang otherwise.
    connection.once('close', () => body.unpipe().resume());
    body.pipe(limited).pipe(outgoing);
  } else {
    outgoing.end();
  }
  return promise;
}

/** Creates a stream that passes at most this many bytes. If there are more, it calls `onExceeded` and stops. */
function limitBytes(maxBytes: number, onExceeded: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) onExceeded();
      else done(null, chunk);
    },
  });
}

function responseOf(incoming: IncomingMessage, status: number, method: string, path: string): Response {
  const headers = callerResponseHeaders(incoming.headers, status);
  const isEmpty = method === 'HEAD' || [204, 205, 304].includes(status);
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(passThrough(incoming, path)) as unknown as BodyInit);
  return new Response(body, { status, headers });
}

function passThrough(incoming: IncomingMessage, path: string): PassThrough {
  const body = new PassThrough();
  incoming.once('error', () => {
    body.destroy(new BrokenOff(`function ${/[\w-]+/.exec(path)}: its answer broke off.`));
  });
  body.once('close', () => incoming.destroy());
  return incoming.pipe(body);
}
