import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import webPush from 'web-push';
import type { Delivery } from '../../../supabase/functions/deliver-alerts/delivery.ts';
import {
  openVapid,
  pushContact,
  secondsOf,
  sendPush,
  topicOf,
} from '../../../supabase/functions/deliver-alerts/push.ts';

test('reads Retry-After in seconds or as a date', () => {
  const now = Date.parse('2026-11-22T14:00:00Z');
  expect(secondsOf('120', now)).toBe(120);
  expect(secondsOf('Sun, 22 Nov 2026 14:01:30 GMT', now)).toBe(90);
  for (const header of [null, '', 'soon', '-5', 'Sun, 22 Nov 2026 13:00:00 GMT']) {
    expect(secondsOf(header, now), String(header)).toBeUndefined();
  }
});

test('makes a topic of the allowed length', () => {
  expect(topicOf(crypto.randomUUID())).toMatch(/^[\w-]{32}$/);
});

test('names the site as contact, or the sender of mails if the site has no HTTPS', () => {
  expect(pushContact('https://news.example', 'paper@example.com')).toBe('https://news.example');
  expect(pushContact('http://127.0.0.1:4321', 'paper@example.com')).toBe('mailto:paper@example.com');
  expect(pushContact('http://127.0.0.1:4321', undefined)).toBe('mailto:newsroom@127.0.0.1');
});

test('signs one token per service for six hours', () => {
  let now = 0;
  const authorization = openVapid(webPush.generateVAPIDKeys(), 'mailto:paper@example.com', () => now);
  const first = authorization('https://a.example/1');
  expect(authorization('https://a.example/2')).toBe(first);
  expect(authorization('https://b.example/1')).not.toBe(first);
  now = 6 * 3_600_000 - 1;
  expect(authorization('https://a.example/3')).toBe(first);
  now += 1;
  expect(authorization('https://a.example/3')).not.toBe(first);
});

const SITE = 'https://news.example';

/** A delivery to a new browser. */
function deliveryTo(endpoint: string, keys: Partial<NonNullable<Delivery['push']>> = {}): Delivery {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  return {
    id: crypto.randomUUID(),
    channel: 'push',
    alert: crypto.randomUUID(),
    urgent: false,
    language: 'en',
    site: { name: 'The Ostley Courier' },
    coverage: { slug: 'river', headline: 'The river rises' },
    updates: [],
    total: 1,
    push: {
      endpoint,
      p256dh: browser.getPublicKey('base64url'),
      auth: randomBytes(16).toString('base64url'),
      ...keys,
    },
    mail: null,
  };
}

test('sends the address of the photo of the newest update, if there is one', async () => {
  const payloads: unknown[] = [];
  const encrypt = vi.spyOn(webPush, 'generateRequestDetails').mockImplementation((_, payload) => {
    payloads.push(JSON.parse(String(payload)));
    throw new Error('Nothing is sent.');
  });
  onTestFinished(() => encrypt.mockRestore());
  const photo = { id: crypto.randomUUID(), bucket: 'photos', width: 480, height: 320, alt: 'The quay' };
  const update = {
    number: 3,
    headline: 'The gate is open',
    text: '',
    key_event: false,
    urgency: 'normal',
    published_at: '2026-11-22T14:02:00+00:00',
  };
  const delivery = deliveryTo('https://push.example/1');
  await sendPush({ ...delivery, updates: [{ ...update, photo }] }, SITE, () => 'vapid');
  await sendPush({ ...delivery, updates: [{ ...update, photo: null }] }, SITE, () => 'vapid');
  expect(payloads[0]).toMatchObject({ photo: `${SITE}/photos/${photo.id}/960` });
  expect(payloads[1]).not.toHaveProperty('photo');
});

test('follows no redirect of a push service', async () => {
  const requested: string[] = [];
  const service = createServer(({ url = '' }, response) => {
    requested.push(url);
    response.writeHead(url === '/elsewhere' ? 201 : 307, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  expect(await sendPush(deliveryTo(`${origin}/device`), SITE, () => 'vapid')).toEqual({
    outcome: 'again',
    error: 'push 307',
  });
  expect(requested).toEqual(['/device']);
});

test('gives up a push service that does not answer', async () => {
  const service = createServer(() => limit.abort()).listen(0, '127.0.0.1');
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  await once(service, 'listening');
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  onTestFinished(() => timeout.mockRestore());
  const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}/device`;
  expect(await sendPush(deliveryTo(endpoint), SITE, () => 'vapid')).toEqual({
    outcome: 'again',
    error: 'no answer',
  });
  expect(timeout).toHaveBeenCalledExactlyOnceWith(10_000);
});

test('refuses the delivery to a device with invalid keys, without naming them', async () => {
  const p256dh = `B${'A'.repeat(86)}`;
  const delivery = deliveryTo('http://127.0.0.1:1/device', { p256dh });
  expect(await sendPush(delivery, SITE, () => 'vapid')).toEqual({
    outcome: 'refused',
    error: 'not encrypted',
  });
});
