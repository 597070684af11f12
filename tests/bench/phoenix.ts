/* Messages of a reader's client to Realtime, in version 2.0.0 of the protocol. */

const TEXT_MESSAGE = 1;

export const socketUrl = (url: string, key: string): string =>
  `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`;

/** Joins a channel. The reply has the same ref. */
export const join = (ref: string, topic: string, isPrivate: boolean): string =>
  JSON.stringify([
    ref,
    ref,
    `realtime:${topic}`,
    'phx_join',
    {
      config: {
        broadcast: { ack: false, self: false },
        presence: { enabled: false },
        private: isPrivate,
      },
    },
  ]);

export const HEARTBEAT = JSON.stringify([null, 'beat', 'phoenix', 'heartbeat', {}]);

/** A broadcast of JSON as a binary client message (kind 3). */
export function broadcast(ref: string, topic: string, event: string, payload: string): Buffer {
  const names = [ref, '', `realtime:${topic}`, event, ''];
  const head = [3, ...names.map((name) => Buffer.byteLength(name)), TEXT_MESSAGE];
  return Buffer.concat([Buffer.from(head), Buffer.from(names.join('')), Buffer.from(payload)]);
}

/** The reply with this ref, or undefined for another message. */
export function replyTo(ref: string, message: Buffer): { ok: boolean; said: string } | undefined {
  const said = message.toString();
  if (!said.startsWith('[')) return undefined;
  const [, to, , event, payload] = JSON.parse(said);
  if (to !== ref || event !== 'phx_reply') return undefined;
  return { ok: payload.status === 'ok', said };
}

/** The JSON of a broadcast from the server (kind 4), or undefined. */
export function broadcastOf(message: Buffer): unknown {
  const [kind, topic = 0, event = 0, meta = 0] = message;
  if (kind !== 4) return undefined;
  return JSON.parse(message.subarray(5 + topic + event + meta).toString());
}
