import { NotHttp } from './incoming.ts';

/**
 * One packed byte makes a thousand at most, and Deno unpacks whatever it is given in one piece. So it is given little,
 * and nothing more before that is read.
 */
const PIECE = 1024;

/**
 * A body without its packing.
 * @param encoding as Content-Encoding names it
 * @throws NotHttp for a packing that was not asked for
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
