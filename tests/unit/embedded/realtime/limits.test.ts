import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  createTokenBucket,
  SERVER_TOKEN_HEADER,
} from '../../../../packages/embedded-supabase/src/gateway/rate-limits.ts';
import type { Keys } from '../../../../packages/embedded-supabase/src/keys.ts';
import {
  createOrderedHandler,
  readHandshake,
} from '../../../../packages/embedded-supabase/src/realtime/connection.ts';
import {
  CLIENT_NETWORK_LIMITS,
  openClientLimits,
} from '../../../../packages/embedded-supabase/src/realtime/limits.ts';

test('a token bucket never gives more than its capacity and refill', () => {
  const requests = fc.array(fc.record({ after: fc.nat(500), tokens: fc.integer({ min: 1, max: 8 }) }));
  fc.assert(
    fc.property(requests, (all) => {
      let now = 0;
      let given = 0;
      const { take } = createTokenBucket({ capacity: 10, perSecond: 20 }, () => now);
      for (const { after, tokens } of all) {
        now += after;
        if (take(tokens)) given += tokens;
        expect(given).toBeLessThanOrEqual(10 + (now / 1000) * 20 + 1e-6);
      }
    }),
  );
});

test('a token bucket refills up to its capacity', () => {
  let now = 0;
  const { take } = createTokenBucket({ capacity: 2, perSecond: 1 }, () => now);
  now = 60_000;
  expect([take(2), take()]).toEqual([true, false]);
  now += 1000;
  expect([take(), take()]).toEqual([true, false]);
});

test('a client network has a limited number of open sockets, and the server has none', () => {
  const clients = openClientLimits();
  const client = clients.forAddress('203.0.113.9');
  const opened = Array.from({ length: CLIENT_NETWORK_LIMITS.maxSockets + 5 }, () => client.openSocket());
  expect(opened.filter(Boolean)).toHaveLength(CLIENT_NETWORK_LIMITS.maxSockets);
  for (let n = 0; n < CLIENT_NETWORK_LIMITS.maxSockets; n++) client.closeSocket();
  // Its rate of opening is used up too.
  expect(Array.from({ length: 100 }, () => client.openSocket()).filter(Boolean).length).toBeLessThan(100);
  expect(clients.forAddress('203.0.113.10').openSocket()).toBe(true);
  const server = clients.forAddress(undefined);
  expect(Array.from({ length: 2000 }, () => server.openSocket())).not.toContain(false);
});

describe('the address of a socket', () => {
  const keys = { publishable: 'sb_publishable_x', secret: 'sb_secret_x', serverToken: 'token' } as Keys;
  const addressOf = (headers: Record<string, string>, apikey = keys.publishable) => {
    const url = `/realtime/v1/websocket?apikey=${apikey}&vsn=2.0.0`;
    return readHandshake({ url, headers } as unknown as IncomingMessage, keys);
  };
  const proved = { [SERVER_TOKEN_HEADER]: keys.serverToken };

  it('is the one that the website names', () => {
    const headers = { ...proved, 'x-forwarded-for': '203.0.113.9' };
    expect(addressOf(headers)).toMatchObject({ address: '203.0.113.9' });
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('is not limited for a visitor at %s', (address) => {
    expect(addressOf({ ...proved, 'x-forwarded-for': address })).toMatchObject({ address: undefined });
  });

  it('is the loopback address for a program without the server token', () => {
    expect(addressOf({})).toMatchObject({ address: '127.0.0.1' });
    expect(addressOf({ 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ address: '127.0.0.1' });
    expect(addressOf({}, keys.secret)).toMatchObject({ address: undefined });
  });
});

test('the bytes that a client network causes are limited', () => {
  const client = openClientLimits().forAddress('203.0.113.9');
  expect([
    client.takeBytes(CLIENT_NETWORK_LIMITS.deliveryRate.capacity),
    client.takeBytes(CLIENT_NETWORK_LIMITS.deliveryRate.capacity),
  ]).toEqual([true, false]);
});

test('handles items in sequence, and holds further ones back', async () => {
  const handled: string[] = [];
  const first = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const add = createOrderedHandler<string>({
    handle(thing) {
      handled.push(thing);
      return thing === 'first' ? first.promise : undefined;
    },
    onBusy: () => handled.push('wait'),
    onIdle: () => free.resolve(),
    onError: () => {},
  });
  for (const thing of ['zeroth', 'first', 'second', 'third']) add(thing);
  expect(handled).toEqual(['zeroth', 'first', 'wait', 'wait']);
  first.resolve();
  await free.promise;
  expect(handled.slice(-2)).toEqual(['second', 'third']);
});

test('drops items behind a fault, and handles later ones', async () => {
  const handled: unknown[] = [];
  const failed = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const add = createOrderedHandler<string>({
    handle: (thing) => (thing === 'bad' ? failed.promise : void handled.push(thing)),
    onBusy: () => {},
    onIdle: () => free.resolve(),
    onError: (error) => handled.push(error),
  });
  add('bad');
  add('behind');
  failed.reject('fault');
  await free.promise;
  add('later');
  expect(handled).toEqual(['fault', 'later']);
});
