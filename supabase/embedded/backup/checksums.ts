import type { Hash } from 'node:crypto';

/** The SHA-256 of each part, in hexadecimal. */
export type Checksums = Map<string, string>;

/** As `sha256sum --check` reads them: a line for each part, of its sum, two spaces and its name. */
export const writeSums = (sums: Checksums): string =>
  [...sums].map(([part, sum]) => `${sum}  ${part}\n`).join('');

export function readSums(text: string): Checksums {
  const lines = text.split('\n').slice(0, -1);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

export const sameSums = (a: Checksums, b: Checksums): boolean =>
  a.size === b.size && [...a].every(([part, sum]) => b.get(part) === sum);

/** A step of a pipeline that lets everything through and adds it to the hash. */
export function hashing(hash: Hash) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
}
