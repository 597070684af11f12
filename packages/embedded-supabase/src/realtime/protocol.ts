import { MAX_NAME_BYTES } from './limits.ts';

const TEXT = 1;
const BINARY = 2;

/**
 * Encodes a message as one WebSocket frame (RFC 6455, section 5.2). It can be written to any number of sockets.
 * @param body a text, or the pieces of a binary message
 */
export function encodeFrame(body: string | readonly Uint8Array[]): Buffer {
  const pieces = typeof body === 'string' ? [Buffer.from(body)] : body;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const head = header(typeof body === 'string' ? TEXT : BINARY, length);
  return Buffer.concat([head, ...pieces], head.length + length);
}

function header(opcode: number, length: number): Buffer {
  const firstByte = 0x80 | opcode;
  if (length < 126) return Buffer.from([firstByte, length]);
  if (length < 65_536) return Buffer.from([firstByte, 126, length >> 8, length & 0xff]);
  const long = Buffer.alloc(10);
  long.set([firstByte, 127]);
  long.writeUIntBE(length, 4, 6);
  return long;
}

/*
 * Phoenix's channel protocol. Version `1.0.0` uses JSON objects. Version `2.0.0` uses JSON arrays and binary
 * broadcasts: kind 3 from a client, kind 4 to a client.
 */

export const PROTOCOL_VERSIONS = ['1.0.0', '2.0.0'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** Reference of a message, or of the join that it belongs to. */
type Reference = string | null;

/** A message from a client, or from the database, to other clients. */
export type Broadcast = {
  event: string;
  /** JSON text, or the bytes of a binary payload. */
  payload: string | Uint8Array;
  /** Metadata that the backend sends beside the payload. */
  meta?: { id: string; replayed?: boolean };
};

export type Envelope = { joinRef: Reference; ref: Reference; topic: string; event: string };

/** A message from a client. */
export type Push = Envelope & { payload: unknown };

/** A message from a client with the event `broadcast`. */
export type BroadcastPush = Envelope & {
  broadcast: Broadcast & {
    /** Whether the client asks to store the message. The backend does not offer this. */
    persist: boolean;
  };
};

const BROADCAST = 'broadcast';
const FROM_CLIENT = 3;
const TO_CLIENT = 4;
const RAW = 0;
const JSON_TEXT = 1;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a frame from a client. @returns undefined if the frame does not follow the protocol */
export function decodePush(
  version: ProtocolVersion,
  data: Buffer,
  binary: boolean,
): Push | BroadcastPush | undefined {
  try {
    if (binary) return version === '2.0.0' ? binaryPush(data) : undefined;
    return textPush(version, JSON.parse(data.toString()));
  } catch {
    return undefined;
  }
}

/** Encodes a message of the backend itself as a frame. */
export function encodeMessage(version: ProtocolVersion, envelope: Envelope, payload: unknown): Buffer {
  const { joinRef, ref, topic, event } = envelope;
  return encodeFrame(
    JSON.stringify(
      version === '2.0.0'
        ? [joinRef, ref, topic, event, payload]
        : { join_ref: joinRef, ref, topic, event, payload },
    ),
  );
}

/**
 * Encodes a broadcast as the frame for all clients of a protocol version.
 * @returns undefined if the version does not support the message: a binary payload in `1.0.0`, or with names that are
 *   too long for the binary format
 */
export function encodeBroadcast(
  version: ProtocolVersion,
  topic: string,
  broadcast: Broadcast,
): Buffer | undefined {
  const { event, payload, meta } = broadcast;
  if (version === '2.0.0') {
    const names = [topic, event, meta ? JSON.stringify(meta) : ''].map((name) => Buffer.from(name));
    const lengths = names.map((name) => name.length);
    // Names of database messages may be too long for the binary format. Clients read JSON payloads in both formats.
    if (lengths.every((length) => length <= MAX_NAME_BYTES)) {
      const isText = typeof payload === 'string';
      const head = Buffer.from([TO_CLIENT, ...lengths, isText ? JSON_TEXT : RAW]);
      return encodeFrame([head, ...names, isText ? Buffer.from(payload) : payload]);
    }
  }
  if (typeof payload !== 'string') return undefined;
  const metadata = JSON.stringify({ type: BROADCAST, event, ...(meta && { meta }) });
  // Inserts the payload as text, because it is already JSON and may be long.
  const body = `${metadata.slice(0, -1)},"payload":${payload}}`;
  const [name, kind] = [JSON.stringify(topic), JSON.stringify(BROADCAST)];
  return encodeFrame(
    version === '2.0.0'
      ? `[null,null,${name},${kind},${body}]`
      : `{"join_ref":null,"ref":null,"topic":${name},"event":${kind},"payload":${body}}`,
  );
}

function textPush(version: ProtocolVersion, message: unknown): Push | BroadcastPush | undefined {
  const [joinRef, ref, topic, event, payload] =
    version === '2.0.0'
      ? fieldsOf(message)
      : fieldsOf(message, ['join_ref', 'ref', 'topic', 'event', 'payload']);
  if (!isReference(joinRef) || !isReference(ref) || !isValidName(topic) || !isValidName(event))
    return undefined;
  const envelope = { joinRef: joinRef ?? null, ref: ref ?? null, topic, event };
  if (event !== BROADCAST) return { ...envelope, payload };
  const content = objectOrEmpty(payload);
  if (!isValidName(content.event)) return undefined;
  const broadcast = {
    event: content.event,
    payload: JSON.stringify(content.payload ?? {}),
    persist: Boolean(content.persist),
  };
  return { ...envelope, broadcast };
}

function binaryPush(data: Buffer): BroadcastPush | undefined {
  const [kind, ...lengths] = data.subarray(0, 6);
  const encoding = data[6];
  if (kind !== FROM_CLIENT || (encoding !== JSON_TEXT && encoding !== RAW)) return undefined;
  let offset = 7;
  const [joinRef = '', ref = '', topic = '', event = '', meta = ''] = lengths.map((length) => {
    if (offset + length > data.length) throw new RangeError('A frame ends before its names do.');
    const name = utf8.decode(data.subarray(offset, offset + length));
    offset += length;
    return name;
  });
  if (!topic || !event) return undefined;
  const body = data.subarray(offset);
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: BROADCAST,
    broadcast: {
      event,
      payload: encoding === JSON_TEXT ? checkedJson(utf8.decode(body)) : body,
      persist: meta !== '' && Boolean(objectOrEmpty(JSON.parse(meta)).persist),
    },
  };
}

/**
 * Returns the text if it is JSON. Every subscriber parses it, so invalid JSON would break all of them.
 * @throws SyntaxError
 */
function checkedJson(text: string): string {
  JSON.parse(text);
  return text;
}

function fieldsOf(message: unknown, names?: string[]): unknown[] {
  if (!names) return Array.isArray(message) ? message : [];
  const object = objectOrEmpty(message);
  return names.map((name) => object[name]);
}

/** Returns an object unchanged, and an empty object for any other value. */
export function objectOrEmpty(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

const isReference = (value: unknown): value is Reference | undefined =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && Buffer.byteLength(value) <= MAX_NAME_BYTES);

export const isValidName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_NAME_BYTES;
