import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BINARY, clientFrame, frameReader } from '../../bench/frames.ts';

/** An unmasked WebSocket frame, as servers send it. */
function serverFrame(payload: Buffer, opcode: number): Buffer {
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff])
        : Buffer.concat([Buffer.from([0x80 | opcode, 127]), Buffer.alloc(8)]);
  if (payload.length >= 65_536) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

test('reads frames split at any position', () => {
  const payloads = fc.array(fc.constantFrom(0, 1, 125, 126, 600, 65_536), { maxLength: 4 });
  fc.assert(
    fc.property(payloads, fc.integer({ min: 1, max: 2_000 }), (sizes, piece) => {
      const sent = sizes.map((size, n) => Buffer.alloc(size, n + 1));
      const bytes = Buffer.concat(sent.map((payload) => serverFrame(payload, BINARY)));
      const received: Buffer[] = [];
      const read = frameReader({
        message: (payload) => received.push(Buffer.from(payload)),
        answer: () => {},
        closed: () => {},
      });
      for (let at = 0; at < bytes.length; at += piece) read(bytes.subarray(at, at + piece));
      expect(received.map((payload) => payload.toString('latin1'))).toEqual(
        sent.map((payload) => payload.toString('latin1')),
      );
    }),
    { numRuns: 20 },
  );
});

test('answers a ping with its payload, and reports a close', () => {
  const answers: Buffer[] = [];
  let closed = false;
  const read = frameReader({
    message: () => {},
    answer: (frame) => answers.push(frame),
    closed: () => {
      closed = true;
    },
  });
  read(Buffer.concat([serverFrame(Buffer.from('still there?'), 9), serverFrame(Buffer.alloc(0), 8)]));
  expect(answers).toEqual([clientFrame('still there?', 10)]);
  expect(closed).toBe(true);
});
