import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { expect } from 'vitest';
import type { Claims } from '../../packages/embedded-supabase/src/tokens.ts';
import { contentOf, STATE_PATHS } from './actors.ts';
import { SERVER, type TestDatabase } from './database.ts';
import type { Mailbox } from './mail.ts';
import { callServer, type SavedUpdate } from './newsroom.ts';
import type { TestSite } from './site.ts';

export type Person = Claims & { sub: string };

/** A push service that the newsroom accepts. */
export const PUSH_SERVICE_URL = 'https://fcm.googleapis.com/fcm/send';

/** Returns a push subscription as a browser sends it, with well-formed keys. */
export const subscription = (endpoint = `${PUSH_SERVICE_URL}/${randomUUID()}`) => ({
  endpoint,
  expirationTime: null,
  keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'b'.repeat(21)}A` },
});

export type AlertUpdate = {
  number: number;
  headline: string | null;
  text: string;
  urgency: string;
  photo: { id: string } | null;
};
export type Delivery = {
  id: string;
  channel: 'push' | 'mail';
  alert: string;
  urgent: boolean;
  language: string;
  coverage: { slug: string; headline: string };
  updates: AlertUpdate[];
  total: number;
  push: { endpoint: string; p256dh: string; auth: string } | null;
  mail: { to: string; account: boolean; stop: string; follow: { kind: string; slug: string } } | null;
};

/** Helpers for tests of follows and alerts, which call the database functions directly. */
export function openAlerts(database: TestDatabase, staff: () => Person) {
  const slugOf = (coverage_id: string) => `case-${coverage_id}`;
  const alerts = {
    slugOf,
    /** Creates a coverage in a state, with topics. @returns its id, from which its slug is made */
    async coverage(state = 'live', topics: string[] = []) {
      const coverage_id = randomUUID();
      const content = {
        slug: slugOf(coverage_id),
        headline: 'A case',
        starts_at: '2030-01-01T00:00:00Z',
        topics,
      };
      await database.call(SERVER, ['create_coverage', { coverage_id, content }]);
      for (const step of STATE_PATHS[state] ?? []) {
        await database.call(SERVER, ['set_coverage_state', { coverage_id, state: step }]);
      }
      return coverage_id;
    },
    /** Creates a topic. @returns its slug */
    async topic() {
      const slug = `topic-${randomUUID()}`;
      await database.call(SERVER, ['save_topic', { slug, name: 'Weather' }]);
      return slug;
    },
    /** Creates a person whose e-mail address is confirmed. */
    async person() {
      const person = await database.createUser();
      await database.rows('update auth.users set email_confirmed_at = now() where id = $1', [person.sub]);
      return person;
    },
    follow: (
      who: Claims,
      target: object,
      { scope = 'all', mail = false, push = true }: { scope?: string; mail?: boolean; push?: boolean } = {},
    ) =>
      database.call(who, ['save_follow', { target, scope, by_mail: mail, by_push: push }]) as Promise<{
        id: string;
      } | null>,
    subscribe: (who: Claims, endpoint?: string) =>
      database.call(who, [
        'save_push_subscription',
        { subscription: subscription(endpoint), device: 'Phone' },
      ]) as Promise<{
        id: string;
      }>,
    /** Creates a person who follows a coverage by push on one device. */
    async follower(coverage_id: string, how = {}) {
      const person = await alerts.person();
      await alerts.follow(person, { coverage: slugOf(coverage_id) }, how);
      await alerts.subscribe(person);
      return person;
    },
    publish: (coverage_id: string, text = 'News.', more: object = {}) =>
      database.call(staff(), [
        'publish_update',
        { coverage_id, update_id: randomUUID(), content: contentOf(text, more) },
      ]) as Promise<SavedUpdate>,
    withdraw: ({ id }: { id: string }) =>
      database.call(staff(), ['withdraw_update', { update_id: id, reason: 'Not true.' }]),
    /** Moves all times that alerts depend on into the past. */
    async advance(seconds: number) {
      await database.rows(`with f as (update public.follows set created_at = created_at - make_interval(secs => ${seconds})),
        u as (update public.updates set published_at = published_at - make_interval(secs => ${seconds}),
          revised_at = revised_at - make_interval(secs => ${seconds}) where published_at is not null),
        d as (update public.deliveries set due_at = due_at - make_interval(secs => ${seconds}),
          claimed_at = claimed_at - make_interval(secs => ${seconds}), lease_expires_at = lease_expires_at - make_interval(secs => ${seconds}),
          sending_started_at = sending_started_at - make_interval(secs => ${seconds}))
        update public.alerts set due_at = due_at - make_interval(secs => ${seconds}),
          latest_at = latest_at - make_interval(secs => ${seconds}), started_at = started_at - make_interval(secs => ${seconds})`);
    },
    claim: (most = 200) =>
      database.call(SERVER, ['claim_deliveries', { max_rows: most }]) as Promise<Delivery[]>,
    due: () => database.call(SERVER, ['alerts_due', {}]) as Promise<number | null>,
    async begin(ids: string[]) {
      const [row] = await database.rows<{ ids: string[] }>('select public.begin_deliveries($1) as ids', [
        ids,
      ]);
      return row?.ids ?? [];
    },
    record: (results: { id: string; outcome: string; retry_after?: number; error?: string }[]) =>
      database.call(SERVER, ['record_deliveries', { results }]),
    /** Delivers everything that is due. @returns the deliveries, ordered by receiver and channel */
    async deliver(): Promise<Delivery[]> {
      const all: Delivery[] = [];
      for (;;) {
        const claimed = await alerts.claim();
        if (claimed.length === 0) return all;
        const begun = await alerts.begin(claimed.map(({ id }) => id));
        await alerts.record(begun.map((id) => ({ id, outcome: 'sent' })));
        all.push(...claimed.filter(({ id }) => begun.includes(id)));
      }
    },
    /** Returns the alerts of a coverage, in order of their due times. */
    alerts: (coverage_id: string) =>
      database.rows<{ scope: string; channel: string; updates: string[]; urgent: boolean; wait: number }>(
        `select scope, channel, updates::text[], urgent, ceil(extract(epoch from due_at - now()))::int as wait
         from public.alerts where coverage_id = $1 order by due_at, scope, channel`,
        [coverage_id],
      ),
  };
  return alerts;
}

/** Runs one statement that returns rows, as the owner of the database. */
export type Sql = (query: string) => Promise<unknown[]>;

/** The push subscription of a browser. */
export type SubscribedBrowser = {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
};

export type Follower = { id: string; email: string; browsers: SubscribedBrowser[]; mail: boolean };

const BATCH_SIZE = 1_000;

/**
 * Creates people who follow all updates of a coverage, in their browsers and optionally by mail. This function inserts
 * rows, because ten thousand sign-ups would take an hour.
 */
export async function createFollowers(
  sql: Sql,
  coverage_id: string,
  readers: { browsers?: SubscribedBrowser[]; mail?: boolean }[],
): Promise<Follower[]> {
  const all = readers.map(({ browsers = [], mail = false }) => {
    const id = randomUUID();
    return { id, email: `${id}@readers.example`, browsers, mail };
  });
  for (let from = 0; from < all.length; from += BATCH_SIZE) {
    const some = all.slice(from, from + BATCH_SIZE);
    const people = some.map(({ id, email, mail, browsers }) => ({
      id,
      email,
      mail,
      push: browsers.length > 0,
    }));
    const subscriptions = some.flatMap(({ id, browsers }) =>
      browsers.map(({ subscription: { endpoint, keys } }) => ({ follower_id: id, endpoint, ...keys })),
    );
    await sql(
      `insert into auth.users (id, email, email_confirmed_at)
       select id, email, now() from ${rowsOf(people, 'id uuid, email text')} returning id`,
    );
    await sql(
      `insert into public.followers (id, person_id) select id, id from ${rowsOf(people, 'id uuid')} returning id`,
    );
    await sql(
      `insert into public.follows (follower_id, coverage_id, scope, mail, push)
       select id, '${coverage_id}', 'all', mail, push from ${rowsOf(people, 'id uuid, mail boolean, push boolean')} returning id`,
    );
    await sql(
      `insert into public.push_subscriptions (follower_id, endpoint, p256dh, auth)
       select follower_id, endpoint, p256dh, auth
       from ${rowsOf(subscriptions, 'follower_id uuid, endpoint text, p256dh text, auth text')} returning id`,
    );
  }
  return all;
}

/** Allows the newsroom to push to the test's own service. */
export const allowPushService = (sql: Sql, origin: string) =>
  sql(`insert into private.push_services values ('${origin}') returning pattern`);

function rowsOf(rows: object[], columns: string): string {
  return `jsonb_to_recordset('${JSON.stringify(rows).replaceAll("'", "''")}'::jsonb) as t(${columns})`;
}

/** A fake browser that receives pushes: its `PushSubscription.toJSON()`, and a function that decrypts messages. */
export type FakeBrowser = {
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** @throws if the message was not encrypted for this browser */
  decrypt(body: Buffer): PushMessage;
};

export type PushMessage = {
  alert: string;
  title: string;
  body: string;
  url: string;
  tag: string;
  urgent: boolean;
  lang: string;
  at: number;
  photo?: string;
};

export type ReceivedPush = {
  endpoint: string;
  topic: string;
  ttl: number;
  urgency: string;
  message: PushMessage;
  /** The sender, as its VAPID token names it (RFC 8292). */
  sender: { aud: unknown; exp: number; sub: unknown; key: string };
};

export type PushService = {
  origin: string;
  /** Creates a browser that subscribes to this service. */
  browser(): FakeBrowser;
  /** Accepted messages in order of arrival. Each was decrypted, and the signature of its sender was verified. */
  received: ReceivedPush[];
  /** Number of requests by endpoint, including refused ones. */
  requestCounts: Map<string, number>;
  /** Sets the response of an endpoint. A promise delays it. Without `how`, the endpoint accepts messages again. */
  setResponse(
    endpoint: string,
    how?: { status: number; headers?: Record<string, string> } | Promise<void>,
  ): void;
  stop(): Promise<void>;
};

const CURVE = 'prime256v1';

/** Decrypts messages (RFC 8291) without the library that encrypts them. */
function messageDecoder(ecdh: ReturnType<typeof createECDH>, auth: Buffer) {
  return (body: Buffer): PushMessage => {
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
    // The last record ends with the delimiter 2 and a padding of zeros.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as PushMessage;
  };
}

/** Verifies the header `Authorization: vapid t=…, k=…` and returns the sender that it names. */
async function senderOf(headers: IncomingHttpHeaders, origin: string): Promise<ReceivedPush['sender']> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  await jwtVerify(token, publicKey, { audience: origin, algorithms: ['ES256'] });
  const { aud, exp = 0, sub } = decodeJwt(token);
  return { aud, exp, sub, key };
}

/** Starts a push service on loopback that verifies and decrypts every message. */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, FakeBrowser>();
  const answers = new Map<string, { status: number; headers?: Record<string, string> } | Promise<void>>();
  const pushed: ReceivedPush[] = [];
  const asked = new Map<string, number>();
  const senders = new Map<string, Promise<ReceivedPush['sender']>>();
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
      const message = known.decrypt(body);
      const token = headers.authorization ?? '';
      if (!senders.has(token)) senders.set(token, senderOf(headers, origin));
      pushed.push({
        endpoint,
        topic: String(headers.topic),
        ttl: Number(headers.ttl),
        urgency: String(headers.urgency),
        message,
        sender: (await senders.get(token)) as ReceivedPush['sender'],
      });
      response.writeHead(201, { location: `${endpoint}/message` }).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /**
   * All browsers share one key pair, because creating key pairs takes most of the time of a test with a thousand
   * followers.
   */
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  const p256dh = ecdh.getPublicKey('base64url');
  const root = randomBytes(16);

  return {
    origin,
    received: pushed,
    requestCounts: asked,
    browser() {
      const name = browsers.size.toString(36);
      const auth = createHmac('sha256', root).update(name).digest().subarray(0, 16);
      const endpoint = `${origin}/push/${name}-${randomBytes(8).toString('base64url')}`;
      const browser: FakeBrowser = {
        subscription: { endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } },
        decrypt: messageDecoder(ecdh, auth),
      };
      browsers.set(endpoint, browser);
      return browser;
    },
    setResponse(endpoint, how) {
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

/** Calls the function that delivers alerts, so that the site stores its delivery channels. */
export async function announceAlertChannels({ service }: Pick<TestSite, 'service'>) {
  const { error } = await service.functions.invoke('deliver-alerts', { body: {} });
  expect(error).toBeNull();
  const means = await callServer(service, 'get_alert_channels', {});
  expect(means).toEqual({ push_key: expect.any(String), mail: true });
  return means;
}

/** Delivers the mail that confirms an address. @returns the path of its link */
export async function confirmationPath(
  { service, url }: Pick<TestSite, 'service' | 'url'>,
  mails: Mailbox,
  email: string,
): Promise<string> {
  // The website itself would deliver the mail later.
  await service.functions.invoke('deliver-alerts', { body: {} });
  return (await mails.next(email)).link.replace(url, '');
}
