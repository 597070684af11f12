import { expect, test } from 'vitest';
import webPush from 'web-push';
import {
  openVapid,
  pushContact,
  secondsOf,
  topicOf,
} from '../../../supabase/functions/deliver-alerts/push.ts';

test('a service says when to come back in seconds or by a date', () => {
  const now = Date.parse('2026-11-22T14:00:00Z');
  expect(secondsOf('120', now)).toBe(120);
  expect(secondsOf('Sun, 22 Nov 2026 14:01:30 GMT', now)).toBe(90);
  for (const header of [null, '', 'soon', '-5', 'Sun, 22 Nov 2026 13:00:00 GMT']) {
    expect(secondsOf(header, now), String(header)).toBeUndefined();
  }
});

test('a topic fits into what services take', () => {
  expect(topicOf(crypto.randomUUID())).toMatch(/^[\w-]{32}$/);
});

test('a service is told whom to ask: the site, or the sender of its mails where the site is not secure', () => {
  expect(pushContact('https://news.example', 'paper@example.com')).toBe('https://news.example');
  expect(pushContact('http://127.0.0.1:4321', 'paper@example.com')).toBe('mailto:paper@example.com');
  expect(pushContact('http://127.0.0.1:4321', undefined)).toBe('mailto:newsroom@127.0.0.1');
});

test('each service has a token of its own, which is signed once in six hours', () => {
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
