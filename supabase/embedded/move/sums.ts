import { createHash } from 'node:crypto';

/** What rows come to, whatever their order: how many, and the sum of their lines' SHA-256 as one number. */
export type Sum = { rows: number; digest: string };

const ROUND = 1n << 256n;

/** @param pieces rows in COPY's text format, cut anywhere */
export async function sumRows(pieces: AsyncIterable<Uint8Array>): Promise<Sum> {
  let total = 0n;
  let rows = 0;
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const text = rest.length > 0 ? Buffer.concat([rest, piece]) : Buffer.from(piece);
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      total =
        (total + BigInt(`0x${createHash('sha256').update(text.subarray(from, at)).digest('hex')}`)) % ROUND;
      rows++;
      from = at + 1;
    }
    rest = Buffer.from(text.subarray(from));
  }
  return { rows, digest: total.toString(16).padStart(64, '0') };
}
