import { type Context, Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import { isBinaryBroadcast } from '../gateway/json-body.ts';
import { TokenRefused } from '../tokens.ts';
import { EVERYTHING, isSignedOut, PRIVATE_ONLY, type TopicPermissions } from './access.ts';
import { broadcast, type Channel, type SocketContext } from './channels.ts';
import { DELIVERY_BYTES, PAYLOAD_BYTES, SERVER_PAYLOAD_BYTES } from './limits.ts';
import { type Broadcast, isName, record } from './protocol.ts';

/** One message of a request, with its topic. */
type Sending = { topic: string; private: boolean; message: Broadcast };

type Asked = Context<RequestVariables>;

const refusal = (status: number, message: string) => Response.json({ message }, { status });

const tooMuch = () => refusal(429, 'You have exceeded your rate limit');
const SENT = () => new Response(null, { status: 202 });

const largest = (c: Asked) => (c.get('keyHolder') === 'server' ? SERVER_PAYLOAD_BYTES : PAYLOAD_BYTES);
const wrong = (c: Asked) =>
  refusal(422, `Every message needs a topic, an event and a payload of at most ${largest(c) / 1024} KB.`);

/** Creates the routes of `/realtime/v1/api/broadcast`, which send messages without a socket to current subscribers. */
export function broadcastRoutes({
  access,
  channels,
  clientLimits,
  publicChannels,
}: SocketContext): Hono<RequestVariables> {
  const send = async (c: Asked, sendings: Sending[], onForbidden: (() => Response) | undefined) => {
    if (!publicChannels && sendings.some((one) => !one.private)) return refusal(403, PRIVATE_ONLY);
    const who = { key: c.req.header('apikey') ?? '', holder: c.get('keyHolder') };
    const address = c.get('address');
    const limits = clientLimits.of(address);
    try {
      const claims = await access.claims(who, c.get('token'));
      const topics = new Set(sendings.filter((one) => one.private).map(({ topic }) => topic));
      // Each private topic costs a permission query, like a join.
      if (!limits.join(topics.size)) return tooMuch();
      const rights = new Map<string, TopicPermissions>();
      const permitted: { channel: Channel | undefined; message: Broadcast }[] = [];
      let cost = 0;
      for (const { topic, private: isPrivate, message } of sendings) {
        const known = isPrivate ? rights.get(topic) : EVERYTHING;
        const allowed = known ?? (await access.rights(claims, topic, limits.client));
        if (isPrivate) rights.set(topic, allowed);
        if (!allowed.broadcast.write) {
          if (onForbidden) return onForbidden();
          continue;
        }
        const channel = channels.find(topic, isPrivate);
        cost +=
          ((channel?.subscribers.size ?? 0) + 1) * (Buffer.byteLength(message.payload) + DELIVERY_BYTES);
        permitted.push({ channel, message });
      }
      // Before the first message is sent: a client that is refused sends all of them again.
      if (!limits.deliver(cost)) return tooMuch();
      for (const { channel, message } of permitted) if (channel) broadcast(channel, message);
    } catch (error) {
      if (error instanceof TokenRefused || isSignedOut(error)) return refusal(401, 'Unauthorized');
      throw error;
    }
    return SENT();
  };

  return new Hono<RequestVariables>()
    .post('/api/broadcast', async (c) => {
      const { messages } = record(await json(c));
      const sendings = Array.isArray(messages)
        ? messages.map((message) => readSending(c, message))
        : [undefined];
      if (!sendings.every((sending) => sending !== undefined)) return wrong(c);
      // Like Supabase, this route skips the messages that the sender may not send, and sends the others.
      return send(c, sendings, undefined);
    })
    .post('/api/broadcast/:topic/events/:event', async (c) => {
      const { topic, event } = c.req.param();
      const asked = c.req.query();
      if ('persist' in asked || 'persist[ttl]' in asked) return refusal(422, 'Messages are not kept here.');
      const payload = isBinaryBroadcast(c) ? new Uint8Array(await c.req.arrayBuffer()) : await json(c);
      const sending = readSending(c, { topic, event, payload, private: asked.private === 'true' });
      return sending ? send(c, [sending], () => refusal(403, 'Unauthorized')) : wrong(c);
    });
}

/** Parses the request body. @returns undefined if the body is not JSON */
const json = (c: Asked): Promise<unknown> => c.req.json().catch(() => undefined);

function readSending(c: Asked, given: unknown): Sending | undefined {
  const { topic, event, payload, private: isPrivate } = record(given);
  if (!isName(topic) || !isName(event) || payload === undefined) return undefined;
  const body = payload instanceof Uint8Array ? payload : JSON.stringify(payload);
  if (Buffer.byteLength(body) > largest(c)) return undefined;
  return { topic, private: isPrivate === true, message: { event, payload: body } };
}
