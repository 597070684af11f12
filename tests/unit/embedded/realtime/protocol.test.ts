import Serializer from '@supabase/realtime-js/dist/module/lib/serializer.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Broadcast,
  decodePush,
  encodeBroadcast,
  encodeFrame,
  encodeMessage,
  type ProtocolVersion,
} from '../../../../packages/embedded-supabase/src/realtime/protocol.ts';
import { BINARY, frameReader } from '../../../bench/frames.ts';

/* The protocol, tested with the serializer of the unmodified client. */

const client = new Serializer();

/** The message in an unmasked frame. */
function readFrame(bytes: Buffer): string | ArrayBuffer {
  const messages: (string | ArrayBuffer)[] = [];
  const read = frameReader({
    message: (data, opcode) =>
      messages.push(opcode === BINARY ? new Uint8Array(data).buffer : data.toString()),
    answer: () => {},
    closed: () => {},
  });
  read(bytes);
  const [message] = messages;
  if (message === undefined || messages.length > 1)
    throw new Error(`${messages.length} messages in a frame.`);
  return message;
}

/** The message as the client decodes it. */
function decodeAsClient(version: ProtocolVersion, bytes: Buffer): Record<string, unknown> {
  const message = readFrame(bytes);
  if (version === '1.0.0') return JSON.parse(message as string);
  let decoded: unknown;
  client.decode(message, (result: unknown) => {
    decoded = result;
  });
  return decoded as Record<string, unknown>;
}

/** A message of the client, as the server receives it. */
function encodeAsClient(version: ProtocolVersion, message: object): [Buffer, boolean] {
  if (version === '1.0.0') return [Buffer.from(JSON.stringify(message)), false];
  let encoded: string | ArrayBuffer = '';
  client.encode(message as Parameters<typeof client.encode>[0], (result: string | ArrayBuffer) => {
    encoded = result;
  });
  return typeof encoded === 'string' ? [Buffer.from(encoded), false] : [Buffer.from(encoded), true];
}

const name = fc
  .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
  .filter((text) => Buffer.byteLength(text) <= 255 && text.isWellFormed());
const version = fc.constantFrom<ProtocolVersion>('1.0.0', '2.0.0');
/** A value after a round trip through JSON. */
const json = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)));
const object = fc
  .dictionary(fc.string({ unit: 'grapheme' }), json)
  .map((value) => JSON.parse(JSON.stringify(value)));

describe('decodes messages of the client', () => {
  test('reads broadcasts', () => {
    fc.assert(
      fc.property(version, name, name, name, object, (vsn, ref, topic, event, payload) => {
        const broadcast = { type: 'broadcast', event, payload };
        const message = { join_ref: ref, ref, topic, event: 'broadcast', payload: broadcast };
        expect(decodePush(vsn, ...encodeAsClient(vsn, message))).toEqual({
          joinRef: ref,
          ref,
          topic,
          event: 'broadcast',
          broadcast: { event, payload: JSON.stringify(payload), persist: false },
        });
      }),
    );
  });

  test('with binary payloads and their options', () => {
    fc.assert(
      fc.property(name, name, fc.uint8Array(), fc.boolean(), (topic, event, bytes, persist) => {
        const payload = { type: 'broadcast', event, payload: new Uint8Array(bytes).buffer, persist };
        const message = { join_ref: '1', ref: '2', topic, event: 'broadcast', payload };
        expect(decodePush('2.0.0', ...encodeAsClient('2.0.0', message))).toEqual({
          joinRef: '1',
          ref: '2',
          topic,
          event: 'broadcast',
          broadcast: { event, payload: Buffer.from(bytes), persist },
        });
      }),
    );
  });

  test('of other types', () => {
    fc.assert(
      fc.property(version, name, name, json, (vsn, topic, event, payload) => {
        fc.pre(event !== 'broadcast');
        const message = { join_ref: '1', ref: '2', topic, event, payload };
        expect(decodePush(vsn, ...encodeAsClient(vsn, message))).toEqual({
          joinRef: '1',
          ref: '2',
          topic,
          event,
          payload,
        });
      }),
    );
  });
});

describe('encodes messages for the client', () => {
  test('writes broadcasts', () => {
    fc.assert(
      fc.property(version, name, name, object, fc.boolean(), (vsn, topic, event, payload, withMeta) => {
        const meta = withMeta ? { id: 'a' } : undefined;
        const message: Broadcast = { event, payload: JSON.stringify(payload), ...(meta && { meta }) };
        const bytes = encodeBroadcast(vsn, topic, message);
        expect(bytes && decodeAsClient(vsn, bytes)).toEqual({
          join_ref: null,
          ref: null,
          topic,
          event: 'broadcast',
          payload: { type: 'broadcast', event, payload, ...(meta && { meta }) },
        });
      }),
    );
  });

  test('with binary payloads, if the version has them', () => {
    const payload = Uint8Array.from([0, 1, 255]);
    const bytes = encodeBroadcast('2.0.0', 'realtime:x', { event: 'photo', payload });
    expect(bytes && decodeAsClient('2.0.0', bytes).payload).toEqual({
      type: 'broadcast',
      event: 'photo',
      payload: payload.buffer,
    });
    expect(encodeBroadcast('1.0.0', 'realtime:x', { event: 'photo', payload })).toBeUndefined();
  });

  test('with a name that is too long for the binary format', () => {
    const event = 'e'.repeat(256);
    const bytes = encodeBroadcast('2.0.0', 'realtime:x', { event, payload: '{"n":1}' });
    expect(bytes && decodeAsClient('2.0.0', bytes).payload).toEqual({
      type: 'broadcast',
      event,
      payload: { n: 1 },
    });
    // Bytes exist in the binary format only.
    expect(encodeBroadcast('2.0.0', 'realtime:x', { event, payload: Uint8Array.of(1) })).toBeUndefined();
  });

  test('of other types', () => {
    fc.assert(
      fc.property(version, name, name, json, (vsn, topic, event, payload) => {
        const bytes = encodeMessage(vsn, { joinRef: '1', ref: '2', topic, event }, payload);
        expect(decodeAsClient(vsn, bytes)).toEqual({ join_ref: '1', ref: '2', topic, event, payload });
      }),
    );
  });
});

test('decoding never throws, whatever the bytes', () => {
  const kinds = fc.oneof(
    fc.uint8Array(),
    fc.uint8Array({ minLength: 7 }).map((bytes) => bytes.with(0, 3)),
  );
  fc.assert(
    fc.property(version, kinds, fc.boolean(), (vsn, bytes, binary) => {
      decodePush(vsn, Buffer.from(bytes), binary);
    }),
  );
});

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('writes %i bytes as one frame', (length) => {
  expect(readFrame(encodeFrame('x'.repeat(length)))).toBe('x'.repeat(length));
  const bytes = new Uint8Array(length).fill(7);
  expect(readFrame(encodeFrame([bytes.subarray(0, length >> 1), bytes.subarray(length >> 1)]))).toEqual(
    bytes.buffer,
  );
});
