import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Refusal, refusal } from './refusals.ts';
import type { Call } from './runner.ts';

/** Hosted's: until the answer begins, and for the whole of it. */
const ANSWER_MS = 150_000;
const WHOLE_MS = 400_000;

/** Of a request's body. A photo goes to the storage, not through a function. */
const LARGEST_BODY = 6 * 1024 * 1024;

/** They concern one connection (RFC 9110, 7.6.1). */
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

/** A visitor's cookies are the site's, and a visitor's word on where it comes from is nobody's. */
const NOT_PASSED = [
  'host',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
];

/** What makes an answer a page, which could act in the name of the site that it is served from. */
const ACTIVE = /^\s*(text\/html|[^;]*xml)/i;

/** Passes a request on to a function and its answer back, both as they come. */
export async function forward(
  asked: Request,
  path: string,
  call: Call,
  address: string | undefined,
): Promise<Response> {
  const whole = AbortSignal.timeout(WHOLE_MS);
  const signal = AbortSignal.any([asked.signal, whole]);
  const settled = Promise.withResolvers<Response>();
  const refuse = (code: Refusal) => settled.resolve(refusal(code));

  const outgoing = httpRequest({
    createConnection: () => call.connection,
    method: asked.method,
    path,
    headers: headersFor(asked.headers, address),
    signal,
  });
  outgoing.setTimeout(0);
  const late = setTimeout(() => {
    refuse('IDLE_TIMEOUT');
    outgoing.destroy();
  }, ANSWER_MS);
  call.connection.once('close', () => {
    clearTimeout(late);
    call.over();
  });
  outgoing.on('response', (incoming) => {
    clearTimeout(late);
    settled.resolve(answer(incoming, asked.method));
  });
  outgoing.on('error', () => {
    // Why its process ended is known a moment later than that it did; if it did not, the function broke off itself.
    const moment = new Promise<Refusal>((resolve) => setTimeout(resolve, 1_000, 'WORKER_ERROR').unref());
    Promise.race([call.ended, moment]).then(refuse);
  });

  if (!asked.body) outgoing.end();
  else {
    const body = Readable.fromWeb(asked.body as ReadableStream);
    body.on('error', () => outgoing.destroy());
    body
      .pipe(
        limited(() => {
          refuse('TOO_LARGE');
          outgoing.destroy();
        }),
      )
      .pipe(outgoing);
  }
  return settled.promise;
}

function limited(onTooMuch: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > LARGEST_BODY) onTooMuch();
      else done(null, chunk);
    },
  });
}

function headersFor(given: Headers, address: string | undefined): Record<string, string> {
  const headers = new Headers(given);
  const named = headers.get('connection')?.split(',') ?? [];
  for (const name of [...HOP_BY_HOP, ...NOT_PASSED, ...named]) headers.delete(name.trim());
  // Who has no address began on this machine.
  headers.set('x-forwarded-for', address ?? '127.0.0.1');
  return Object.fromEntries(headers);
}

/** @throws never: what Deno answers is an answer */
function answer(incoming: IncomingMessage, method: string): Response {
  const status = incoming.statusCode ?? 500;
  const headers = answerHeaders(incoming.headers, status);
  const empty = method === 'HEAD' || [204, 205, 304].includes(status);
  if (empty) incoming.resume();
  return new Response(empty ? null : (Readable.toWeb(incoming) as unknown as BodyInit), { status, headers });
}

function answerHeaders(given: IncomingHttpHeaders, status: number): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (HOP_BY_HOP.includes(name) || name === 'set-cookie' || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const type = headers.get('content-type') ?? '';
  // As hosted does: nothing that a browser would run.
  if (ACTIVE.test(type)) headers.set('content-type', 'text/plain; charset=utf-8');
  headers.set('x-content-type-options', 'nosniff');
  headers.set('content-security-policy', "default-src 'none'; sandbox");
  if (status >= 500 && !headers.has('sb-error-code')) headers.set('sb-error-code', 'EDGE_FUNCTION_ERROR');
  return headers;
}
