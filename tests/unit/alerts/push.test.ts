import { expect, test } from 'vitest';
import webPush from 'web-push';
import {
  openVapid,
  pushContact,
  secondsOf,
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
