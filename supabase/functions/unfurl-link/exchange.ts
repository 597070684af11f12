import type { Target } from './address.ts';
import { type Incoming, incoming, NotHttp } from './incoming.ts';
import { unpacked } from './unpacked.ts';

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
