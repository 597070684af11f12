import { NotHttp } from './incoming.ts';

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
