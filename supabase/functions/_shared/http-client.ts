import type { ConnectionTarget, TcpConnection } from './network.ts';

/** The response is too large. */
export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge';
}

/** The response is not HTTP or is incomplete. */
export class InvalidResponse extends Error {
  override name = 'InvalidResponse';
}

/** Reads a body of at most `max` bytes. @throws ResponseTooLarge */
export async function readBytes(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  max: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > max) throw new ResponseTooLarge();
    parts.push(part.slice());
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Makes requests within a time limit.
 * @param send opens connections, which it closes when the signal aborts: at the limit, or after the last request
 * @throws what `send` throws; Error at the limit
 */
export async function withTimeLimit<Result>(
  ms: number,
  send: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ms);
  const timeout = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('too late')));
  });
  try {
    // Handles both rejections: an unhandled one would end the function.
    return await Promise.race([send(abort.signal), timeout]);
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

/** Reads a connection by lines and byte counts, up to `maxBytes` bytes in total. */
function createByteReader(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const reader = stream.getReader();
  let buffer: Uint8Array = new Uint8Array();
  let bytesRead = 0;

  /** Waits for more bytes. @returns false at the end */
  async function more(): Promise<boolean> {
    const { value, done } = await reader.read();
    if (done) return false;
    bytesRead += value.length;
    if (bytesRead > maxBytes) throw new ResponseTooLarge();
    const joined = new Uint8Array(buffer.length + value.length);
    joined.set(buffer);
    joined.set(value, buffer.length);
    buffer = joined;
    return true;
  }

  function cut(length: number): Uint8Array {
    const part = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return part;
  }

  return {
    /** Returns the next line without its line break, decoded as Latin-1. */
    async line(maxLength: number): Promise<string> {
      for (let from = 0; ; ) {
        const end = buffer.indexOf(LINE_FEED, from);
        if (end > maxLength || (end < 0 && buffer.length > maxLength)) throw new InvalidResponse();
        if (end >= 0) return latin1(cut(end + 1)).replace(/\r?\n$/, '');
        from = buffer.length;
        if (!(await more())) throw new InvalidResponse();
      }
    },

    /** Yields `count` bytes. */
    async *takeBytes(count: number): AsyncGenerator<Uint8Array> {
      for (let left = count; left > 0; ) {
        if (buffer.length === 0 && !(await more())) throw new InvalidResponse();
        const part = cut(Math.min(left, buffer.length));
        left -= part.length;
        yield part;
      }
    },

    /** Yields all remaining bytes. */
    async *rest(): AsyncGenerator<Uint8Array> {
      while (buffer.length > 0 || (await more())) yield cut(buffer.length);
    },
  };
}

type ByteReader = ReturnType<typeof createByteReader>;

const LINE_FEED = 10;

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/**
 * Number of compressed bytes to decompress at a time. A byte expands to at most about a thousand, and Deno
 * decompresses its whole input at once.
 */
const PIECE_BYTES = 1024;

/**
 * Decompresses a body.
 * @param encoding Content-Encoding header
 * @throws InvalidResponse for an encoding that was not requested
 */
function decompress(body: AsyncGenerator<Uint8Array>, encoding: string | null): AsyncGenerator<Uint8Array> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip') throw new InvalidResponse();
  return gunzip(body);
}

async function* gunzip(body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const compressed = pieces(body);
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await compressed.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let part = await reader.read(); part.value; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* pieces(body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const part of body) {
    for (let from = 0; from < part.length; from += PIECE_BYTES) yield part.slice(from, from + PIECE_BYTES);
  }
}

export type HttpResponse = {
  status: number;
  headers: Headers;
  /** Decompressed body, to be read once. */
  body: AsyncGenerator<Uint8Array>;
};

const MAX_LINE_LENGTH = 16 * 1024;
const MAX_HEADERS = 200;
/** Maximum number of bytes of status line, headers and chunk framing. */
const MAX_OVERHEAD_BYTES = 256 * 1024;

/** A request to send. Values of headers must not contain line breaks. */
export type HttpRequest = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
};

/**
 * Sends a request over a connection to a chosen address. Implemented here because fetch() offers no choice of
 * the address (docs/decisions/2026-11-22-edge-functions.md).
 * @param maxBytes maximum number of compressed bytes of the response
 * @throws InvalidResponse, ResponseTooLarge, or any connection error
 */
export async function sendRequest(
  { url }: ConnectionTarget,
  connection: TcpConnection,
  request: HttpRequest,
  maxBytes: number,
): Promise<HttpResponse> {
  const writer = connection.writable.getWriter();
  // The server may answer or disconnect before it has read the request. Reading the response shows that.
  writer.write(new TextEncoder().encode(headText(url, request))).catch(() => {});
  if (request.body) writer.write(request.body).catch(() => {});
  const bytes = createByteReader(connection.readable, maxBytes + MAX_OVERHEAD_BYTES);
  const { status, headers } = await headOf(bytes);
  const plain = isWithoutBody(status) ? emptyBody() : bodyOf(bytes, headers);
  return { status, headers, body: decompress(plain, headers.get('content-encoding')) };
}

/**
 * Requests a page over a connection to a chosen address.
 * @param accept Accept header
 * @throws like `sendRequest`
 */
export const requestPage = (
  target: ConnectionTarget,
  connection: TcpConnection,
  maxBytes: number,
  accept: string,
): Promise<HttpResponse> => {
  const headers = {
    'User-Agent': 'Mozilla/5.0 (compatible; Stoppress; link description)',
    Accept: accept,
    'Accept-Language': 'en, *;q=0.5',
  };
  return sendRequest(target, connection, { method: 'GET', headers }, maxBytes);
};

function headText(url: URL, { method, headers, body }: HttpRequest): string {
  return [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Accept-Encoding: gzip',
    ...(body ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
    '\r\n',
  ].join('\r\n');
}

async function headOf(bytes: ByteReader): Promise<Pick<HttpResponse, 'status' | 'headers'>> {
  const line = await bytes.line(MAX_LINE_LENGTH);
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line)?.[1] ?? 0);
  if (status < 100) throw new InvalidResponse();
  const headers = new Headers();
  for (let count = 0; ; count++) {
    const text = await bytes.line(MAX_LINE_LENGTH);
    if (text === '') break;
    if (count === MAX_HEADERS) throw new InvalidResponse();
    // Split by hand: a regular expression that trims white space takes hours for a line of spaces.
    const colon = text.indexOf(':');
    const [name, value] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1).trim()];
    // Invalid headers are ignored. Headers.append() would throw.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[\0\r\n]/.test(value)) headers.append(name, value);
  }
  // Informational responses such as early hints are followed by the final one.
  return status < 200 ? headOf(bytes) : { status, headers };
}

const isWithoutBody = (status: number) => status === 204 || status === 304;

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function bodyOf(bytes: ByteReader, headers: Headers): AsyncGenerator<Uint8Array> {
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return chunks(bytes);
  if (headers.has('transfer-encoding')) throw new InvalidResponse();
  const length = headers.get('content-length');
  if (length === null) return bytes.rest();
  if (!/^\d{1,15}$/.test(length)) throw new InvalidResponse();
  return bytes.takeBytes(Number(length));
}

async function* chunks(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(await bytes.line(MAX_LINE_LENGTH))?.[1];
    if (size === undefined) throw new InvalidResponse();
    if (Number.parseInt(size, 16) === 0) return;
    yield* bytes.takeBytes(Number.parseInt(size, 16));
    if ((await bytes.line(MAX_LINE_LENGTH)) !== '') throw new InvalidResponse();
  }
}
