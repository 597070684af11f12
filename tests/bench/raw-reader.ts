import { once } from 'node:events';
import { connect } from 'node:net';
import { createBrotliDecompress } from 'node:zlib';

/** User agent of Chromium on a phone. */
const AGENT =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

export type Read = {
  /** Bytes of the response with its head. */
  bytes: number;
  /** Bytes until the first words of the first update. */
  firstWords: number;
  /** Ms from connecting to the last byte. */
  took: number;
};

const HEAD_END = '\r\n\r\n';
/** The newest update, up to the end of its first paragraph. */
const FIRST_WORDS = /<article[\s>][\s\S]*?<\/p>/;

/** Reads a page on a new connection, and counts raw bytes. */
export async function readRaw(url: string): Promise<Read> {
  const { host, hostname, port, pathname, search } = new URL(url);
  const begun = performance.now();
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\nUser-Agent: ${AGENT}\r\n` +
      'Accept: text/html\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en\r\n\r\n',
  );
  const page = createBrotliDecompress();
  let text = '';
  page.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
  });
  let head: Buffer = Buffer.alloc(0);
  let expected = Number.POSITIVE_INFINITY;
  let bytes = 0;
  let firstWords = 0;
  for await (const piece of socket as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (expected < Number.POSITIVE_INFINITY) await unpack(piece);
    else {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) continue;
      expected = lengthOf(head.toString('latin1', 0, end)) + end + HEAD_END.length;
      await unpack(head.subarray(end + HEAD_END.length));
    }
    if (firstWords === 0 && FIRST_WORDS.test(text)) firstWords = bytes;
    if (bytes >= expected) break;
  }
  const took = performance.now() - begun;
  if (bytes !== expected || firstWords === 0) throw new Error(`${url} broke off, or has no words.`);
  return { bytes, firstWords, took };

  /** Decompresses what has arrived. */
  async function unpack(piece: Buffer): Promise<void> {
    if (piece.length === 0) return;
    if (!page.write(piece)) await once(page, 'drain');
    await new Promise<void>((resolve) => page.flush(() => resolve()));
  }
}

function lengthOf(head: string): number {
  if (!/^HTTP\/1\.1 200 /.test(head)) throw new Error(`It answers ${head.split('\r\n')[0]}.`);
  if (!/^content-encoding: br$/im.test(head)) throw new Error('It is not packed by brotli.');
  return Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
}
