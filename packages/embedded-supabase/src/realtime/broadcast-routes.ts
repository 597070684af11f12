import { type Context, Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import { isBinaryBroadcast } from '../gateway/json-body.ts';
import { InvalidTokenError } from '../tokens.ts';
import { ALL_PERMISSIONS, isSignedOut, PRIVATE_ONLY_MESSAGE, type TopicPermissions } from './access.ts';
import { broadcast, type Channel, type SocketContext } from './channels.ts';
import { DELIVERY_OVERHEAD_BYTES, MAX_PAYLOAD_BYTES, MAX_SERVER_PAYLOAD_BYTES } from './limits.ts';
import { type Broadcast, isValidName, objectOrEmpty } from './protocol.ts';

/** One message of a request, with its topic. */
type OutgoingMessage = { topic: string; private: boolean; message: Broadcast };

type BroadcastContext = Context<RequestVariables>;

const refusal = (status: number, message: string) => Response.json({ message }, { status });

const rateLimited = () => refusal(429, 'You have exceeded your rate limit');
const accepted = () => new Response(null, { status: 202 });

const maxPayload = (c: BroadcastContext) =>
  c.get('apiKeyType') === 'secret' ? MAX_SERVER_PAYLOAD_BYTES : MAX_PAYLOAD_BYTES;
const invalidMessage = (c: BroadcastContext) =>
  refusal(422, `Every message needs a topic, an event and a payload of at most ${maxPayload(c) / 1024} KB.`);

/** Creates the routes of `/realtime/v1/api/broadcast`, which send messages without a socket to current subscribers. */
export function broadcastRoutes({
  access,
  channels,
  clientLimits,
  publicChannels,
}: SocketContext): Hono<RequestVariables> {
  const send = async (
    c: BroadcastContext,
    outgoing: OutgoingMessage[],
    onForbidden: (() => Response) | undefined,
  ) => {
    if (!publicChannels && outgoing.some((message) => !message.private))
      return refusal(403, PRIVATE_ONLY_MESSAGE);
    const apiKey = { key: c.req.header('apikey') ?? '', type: c.get('apiKeyType') };
    const address = c.get('address');
    const limits = clientLimits.forAddress(address);
    try {
      const claims = await access.resolveClaims(apiKey, c.get('token'));
      const topics = new Set(outgoing.filter((message) => message.private).map(({ topic }) => topic));
      // Each private topic costs a permission query, like a join.
      if (!limits.takeJoins(topics.size)) return rateLimited();
      const permissionsByTopic = new Map<string, TopicPermissions>();
      const permitted: { channel: Channel | undefined; message: Broadcast }[] = [];
      let cost = 0;
      for (const { topic, private: isPrivate, message } of outgoing) {
        const cached = isPrivate ? permissionsByTopic.get(topic) : ALL_PERMISSIONS;
        const permissions = cached ?? (await access.permissions(claims, topic, limits.network));
        if (isPrivate) permissionsByTopic.set(topic, permissions);
        if (!permissions.broadcast.write) {
          if (onForbidden) return onForbidden();
          continue;
        }
        const channel = channels.find(topic, isPrivate);
        cost +=
          ((channel?.subscribers.size ?? 0) + 1) *
          (Buffer.byteLength(message.payload) + DELIVERY_OVERHEAD_BYTES);
        permitted.push({ channel, message });
      }
      // Before the first message is sent: a client that is refused sends all of them again.
      if (!limits.takeBytes(cost)) return rateLimited();
      for (const { channel, message } of permitted) if (channel) broadcast(channel, message);
    } catch (error) {
      if (error instanceof InvalidTokenError || isSignedOut(error)) return refusal(401, 'Unauthorized');
      throw error;
    }
    return accepted();
  };

  return new Hono<RequestVariables>()
    .post('/api/broadcast', async (c) => {
      const { messages } = objectOrEmpty(await json(c));
      const outgoing = Array.isArray(messages)
        ? messages.map((message) => readOutgoingMessage(c, message))
        : [undefined];
      if (!outgoing.every((message) => message !== undefined)) return invalidMessage(c);
      // Like Supabase, this route skips the messages that the sender may not send, and sends the others.
      return send(c, outgoing, undefined);
    })
    .post('/api/broadcast/:topic/events/:event', async (c) => {
      const { topic, event } = c.req.param();
      const query = c.req.query();
      if ('persist' in query || 'persist[ttl]' in query) return refusal(422, 'Messages are not stored.');
      const payload = isBinaryBroadcast(c) ? new Uint8Array(await c.req.arrayBuffer()) : await json(c);
      const outgoing = readOutgoingMessage(c, { topic, event, payload, private: query.private === 'true' });
      return outgoing ? send(c, [outgoing], () => refusal(403, 'Unauthorized')) : invalidMessage(c);
    });
}

/** Parses the request body. @returns undefined if the body is not JSON */
const json = (c: BroadcastContext): Promise<unknown> => c.req.json().catch(() => undefined);

function readOutgoingMessage(c: BroadcastContext, value: unknown): OutgoingMessage | undefined {
  const { topic, event, payload, private: isPrivate } = objectOrEmpty(value);
  if (!isValidName(topic) || !isValidName(event) || payload === undefined) return undefined;
  const body = payload instanceof Uint8Array ? payload : JSON.stringify(payload);
  if (Buffer.byteLength(body) > maxPayload(c)) return undefined;
  return { topic, private: isPrivate === true, message: { event, payload: body } };
}
