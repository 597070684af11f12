import type { Target } from './address.ts';

/** The response is too large. */
export class TooMuch extends Error {
  override name = 'TooMuch';
}

/** The response is not HTTP or is incomplete. */
export class NotHttp extends Error {
  override name = 'NotHttp';
}

/** Reads a connection by lines and byte counts, up to `most` bytes in total. */
export function incoming(stream: ReadableStream<Uint8Array>, most: number) {
  const reader = stream.getReader();
  let held: Uint8Array = new Uint8Array();
  let taken = 0;

  /** Waits for more bytes; false at the end. */
  async function more(): Promise<boolean> {
    const { value, done } = await reader.read();
    if (done) return false;
    taken += value.length;
    if (taken > most) throw new TooMuch();
    const joined = new Uint8Array(held.length + value.length);
    joined.set(held);
    joined.set(value, held.length);
    held = joined;
    return true;
  }

  function cut(length: number): Uint8Array {
    const part = held.subarray(0, length);
    held = held.subarray(length);
    return part;
  }

  return {
    /** Returns the next line without its line break, decoded as Latin-1. */
    async line(longest: number): Promise<string> {
      for (let from = 0; ; ) {
        const end = held.indexOf(LINE_FEED, from);
        if (end > longest || (end < 0 && held.length > longest)) throw new NotHttp();
        if (end >= 0) return latin1(cut(end + 1)).replace(/\r?\n$/, '');
        from = held.length;
        if (!(await more())) throw new NotHttp();
      }
    },

    /** Yields `count` bytes. */
    async *take(count: number): AsyncGenerator<Uint8Array> {
      for (let left = count; left > 0; ) {
        if (held.length === 0 && !(await more())) throw new NotHttp();
        const part = cut(Math.min(left, held.length));
        left -= part.length;
        yield part;
      }
    },

    /** Yields all remaining bytes. */
    async *rest(): AsyncGenerator<Uint8Array> {
      while (held.length > 0 || (await more())) yield cut(held.length);
    },
  };
}

export type Incoming = ReturnType<typeof incoming>;

const LINE_FEED = 10;

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/**
 * Number of compressed bytes to decompress at a time. A byte expands to at most about a thousand, and Deno
 * decompresses its whole input at once.
 */
const PIECE = 1024;

/**
 * Decompresses a body.
 * @param encoding Content-Encoding header
 * @throws NotHttp for an encoding that was not requested
 */
export function unpacked(
  body: AsyncGenerator<Uint8Array>,
  encoding: string | null,
): AsyncGenerator<Uint8Array> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip') throw new NotHttp();
  return gunzipped(body);
}

async function* gunzipped(body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = pieces(body);
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await packed.next();
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
    for (let from = 0; from < part.length; from += PIECE) yield part.slice(from, from + PIECE);
  }
}

/** An open connection. */
export type Wire = {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  close(): void;
};

export type Answer = {
  status: number;
  headers: Headers;
  /** Decompressed body, to be read once. */
  body: AsyncGenerator<Uint8Array>;
};

const LONGEST_LINE = 16 * 1024;
const MOST_HEADERS = 200;
/** Maximum number of bytes of status line, headers and chunk framing. */
const MOST_AROUND = 256 * 1024;

/**
 * Requests a page over a connection to a chosen address. Implemented here because fetch() cannot be told which
 * address to use (docs/decisions/2026-11-22-edge-functions.md).
 * @param most maximum number of compressed bytes
 * @throws NotHttp, TooMuch, or any connection error
 */
export async function ask({ url }: Target, wire: Wire, most: number): Promise<Answer> {
  const writer = wire.writable.getWriter();
  // The server may answer or disconnect before it has read the request. Reading the response shows that.
  writer.write(new TextEncoder().encode(questionOf(url))).catch(() => {});
  const bytes = incoming(wire.readable, most + MOST_AROUND);
  const { status, headers } = await headOf(bytes);
  const plain = isWithoutBody(status) ? nothing() : bodyOf(bytes, headers);
  return { status, headers, body: unpacked(plain, headers.get('content-encoding')) };
}

function questionOf(url: URL): string {
  return [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    'User-Agent: Mozilla/5.0 (compatible; Stoppress; link description)',
    'Accept: text/html,application/xhtml+xml',
    'Accept-Encoding: gzip',
    'Accept-Language: en, *;q=0.5',
    'Connection: close',
    '\r\n',
  ].join('\r\n');
}

async function headOf(bytes: Incoming): Promise<Pick<Answer, 'status' | 'headers'>> {
  const line = await bytes.line(LONGEST_LINE);
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line)?.[1] ?? 0);
  if (status < 100) throw new NotHttp();
  const headers = new Headers();
  for (let count = 0; ; count++) {
    const text = await bytes.line(LONGEST_LINE);
    if (text === '') break;
    if (count === MOST_HEADERS) throw new NotHttp();
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

async function* nothing(): AsyncGenerator<Uint8Array> {}

function bodyOf(bytes: Incoming, headers: Headers): AsyncGenerator<Uint8Array> {
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return chunks(bytes);
  if (headers.has('transfer-encoding')) throw new NotHttp();
  const length = headers.get('content-length');
  if (length === null) return bytes.rest();
  if (!/^\d{1,15}$/.test(length)) throw new NotHttp();
  return bytes.take(Number(length));
}

async function* chunks(bytes: Incoming): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(await bytes.line(LONGEST_LINE))?.[1];
    if (size === undefined) throw new NotHttp();
    if (Number.parseInt(size, 16) === 0) return;
    yield* bytes.take(Number.parseInt(size, 16));
    if ((await bytes.line(LONGEST_LINE)) !== '') throw new NotHttp();
  }
}
