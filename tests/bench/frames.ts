/** Frames of RFC 6455, as far as a counting client needs them. */

export const TEXT = 1;
export const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** A client message with a mask of zero, because no intermediary needs protection here. */
export function clientFrame(payload: string | Buffer, opcode = TEXT): Buffer {
  const body = Buffer.from(payload);
  if (body.length > 0xffff) throw new Error('Longer than anything a bench sends.');
  const long = body.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (long ? 126 : body.length);
  if (long) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

export type FrameHandlers = {
  message(payload: Buffer, opcode: number): void;
  /** Called with a pong that must be sent. */
  answer(frame: Buffer): void;
  closed(): void;
};

/** Parses frames split at any position. Payloads are views of the given bytes, so copy them to keep them. */
export function frameReader(on: FrameHandlers): (bytes: Buffer) => void {
  let rest: Buffer | undefined;
  return (bytes) => {
    const data = rest ? Buffer.concat([rest, bytes]) : bytes;
    let at = 0;
    while (at < data.length) {
      const size = sizeOf(data, at);
      if (!size || at + size.head + size.payload > data.length) break;
      const payload = data.subarray(at + size.head, at + size.head + size.payload);
      const opcode = (data[at] ?? 0) & 0x0f;
      if (opcode === PING) on.answer(clientFrame(payload, PONG));
      else if (opcode === CLOSE) on.closed();
      else on.message(payload, opcode);
      at += size.head + size.payload;
    }
    rest = at < data.length ? Buffer.from(data.subarray(at)) : undefined;
  };
}

/** Sizes of the frame at a position, or undefined until its head is complete. */
function sizeOf(data: Buffer, at: number): { head: number; payload: number } | undefined {
  const short = (data[at + 1] ?? 0) & 0x7f;
  const head = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (at + head > data.length) return undefined;
  if (short === 127) return { head, payload: Number(data.readBigUInt64BE(at + 2)) };
  return { head, payload: short === 126 ? data.readUInt16BE(at + 2) : short };
}
