/** Bytes of rows that PGlite is given at once: it holds a copy of its own. */
const AT_ONCE = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Pieces of COPY's text format, cut anywhere, as pieces that end where a row ends. A line feed always ends a row: one
 * inside a value is written as a backslash and an n.
 */
export async function* queryRows(
  pieces: AsyncIterable<Uint8Array>,
  atOnce = AT_ONCE,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    size += piece.length;
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (size < atOnce || end === 0) continue;
    const rest = piece.subarray(end);
    yield Buffer.concat([...kept.slice(0, -1), piece.subarray(0, end)]);
    kept = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(kept);
}
