import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeJwt, importJWK, jwtVerify } from 'jose';

/** A browser of these tests, to which its service pushes: what `PushSubscription.toJSON()` says, and how it opens a message. */
export type Browser = {
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** @throws where the message was not encrypted for this browser */
  open(body: Buffer): Message;
};

export type Message = {
  alert: string;
  title: string;
  body: string;
  url: string;
  tag: string;
  urgent: boolean;
  lang: string;
  at: number;
};

export type Pushed = {
  endpoint: string;
  topic: string;
  ttl: number;
  urgency: string;
  message: Message;
  /** Who says to have sent it, as its token says (RFC 8292). */
  sender: { aud: unknown; exp: number; sub: unknown; key: string };
};

export type PushService = {
  origin: string;
  /** A new browser that is told here. */
  browser(): Browser;
  /** Everything that was accepted, in its order: each has been opened and its sender's signature verified. */
  pushed: Pushed[];
  /** How often each endpoint was asked, whatever came of it. */
  asked: Map<string, number>;
  /** Answers an endpoint so instead of accepting; a promise is waited for. Nothing: accepts again. */
  answer(endpoint: string, how?: { status: number; headers?: Record<string, string> } | Promise<void>): void;
  stop(): Promise<void>;
};

const CURVE = 'prime256v1';

/** How a message is opened (RFC 8291), written out: the library that encrypts must not judge itself. */
function opens(ecdh: ReturnType<typeof createECDH>, auth: Buffer) {
  return (body: Buffer): Message => {
    const salt = body.subarray(0, 16);
    const idLength = body[20] ?? 0;
    const sender = body.subarray(21, 21 + idLength);
    const sealed = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
    const input = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
    const derived = (what: string, length: number) =>
      Buffer.from(hkdfSync('sha256', input, salt, Buffer.from(`Content-Encoding: ${what}\0`), length));
    const opening = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    opening.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
    // The last record ends with a 2 and zeros.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as Message;
  };
}

/** Whose token this is: an `Authorization: vapid t=…, k=…` whose signature is its key's. */
async function senderOf(headers: IncomingHttpHeaders, origin: string): Promise<Pushed['sender']> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  await jwtVerify(token, publicKey, { audience: origin, algorithms: ['ES256'] });
  const { aud, exp = 0, sub } = decodeJwt(token);
  return { aud, exp, sub, key };
}

/** A real push service on loopback, which judges every message as a service and as the browser behind it. */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const answers = new Map<string, { status: number; headers?: Record<string, string> } | Promise<void>>();
  const pushed: Pushed[] = [];
  const asked = new Map<string, number>();
  const senders = new Map<string, Promise<Pushed['sender']>>();
  let origin = '';

  const server = createServer(async (request, response) => {
    const endpoint = `${origin}${request.url}`;
    asked.set(endpoint, (asked.get(endpoint) ?? 0) + 1);
    const body = await buffer(request);
    const how = answers.get(endpoint);
    if (how && 'status' in how) return void response.writeHead(how.status, how.headers).end();
    await how;
    const { headers } = request;
    const known = browsers.get(endpoint);
    try {
      if (!known || headers['content-encoding'] !== 'aes128gcm') throw new Error('Not for here.');
      const message = known.open(body);
      const token = headers.authorization ?? '';
      if (!senders.has(token)) senders.set(token, senderOf(headers, origin));
      pushed.push({
        endpoint,
        topic: String(headers.topic),
        ttl: Number(headers.ttl),
        urgency: String(headers.urgency),
        message,
        sender: (await senders.get(token)) as Pushed['sender'],
      });
      response.writeHead(201, { location: `${endpoint}/message` }).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Of all its browsers: making one is most of the work of a thousand followers. */
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  const p256dh = ecdh.getPublicKey('base64url');
  const root = randomBytes(16);

  return {
    origin,
    pushed,
    asked,
    browser() {
      const name = browsers.size.toString(36);
      const auth = createHmac('sha256', root).update(name).digest().subarray(0, 16);
      const endpoint = `${origin}/push/${name}-${randomBytes(8).toString('base64url')}`;
      const browser: Browser = {
        subscription: { endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } },
        open: opens(ecdh, auth),
      };
      browsers.set(endpoint, browser);
      return browser;
    },
    answer(endpoint, how) {
      if (how) answers.set(endpoint, how);
      else answers.delete(endpoint);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}
