const TEXT = 1;
const BINARY = 2;

/**
 * A message as the one WebSocket frame that a server sends (RFC 6455, section 5.2: final, not masked). It is made
 * once and written to any number of sockets.
 * @param body a text, or the pieces of a binary message
 */
export function frame(body: string | readonly Uint8Array[]): Buffer {
  const pieces = typeof body === 'string' ? [Buffer.from(body)] : body;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const head = header(typeof body === 'string' ? TEXT : BINARY, length);
  return Buffer.concat([head, ...pieces], head.length + length);
}

function header(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const long = Buffer.alloc(10);
  long.set([first, 127]);
  long.writeUIntBE(length, 4, 6);
  return long;
}
