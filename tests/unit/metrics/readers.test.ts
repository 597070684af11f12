import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { mayReadMetrics } from '../../../src/lib/server/health.ts';

const TOKEN = 'a token of twenty signs'.replaceAll(' ', '-');

const may = (headers: Record<string, string> = {}, from = '127.0.0.1', { proxies = 0, token = '' } = {}) =>
  mayReadMetrics(
    {
      headers: { host: 'localhost:4321', ...headers },
      socket: { remoteAddress: from },
    } as unknown as IncomingMessage,
    { proxies, token: token || undefined },
  );

test('a program on this machine may read metrics, under any local name', () => {
  for (const from of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    expect(may({}, from), from).toBe(true);
  for (const host of ['127.0.0.1:80', '[::1]:4321', 'localhost']) expect(may({ host }), host).toBe(true);
});

test.each<Record<string, string>>([
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-host': 'localhost' },
  { forwarded: 'for=127.0.0.1' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '127.0.0.1' },
  { 'cf-connecting-ip': '127.0.0.1' },
  { host: 'evil.example' },
  { host: '127.0.0.1.evil.example' },
  { host: '' },
  { origin: 'http://localhost:4321' },
  { 'sec-fetch-site': 'same-origin' },
  { authorization: 'Bearer undefined' },
])('forwarded requests and browsers may not: %o', (headers) => {
  expect(may(headers)).toBe(false);
});

test('other machines may not, and behind a proxy all clients need the token', () => {
  for (const from of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '']) expect(may({}, from), from).toBe(false);
  expect(may({}, '127.0.0.1', { proxies: 1 })).toBe(false);
});

test('the token gives access from anywhere, and a wrong one is refused locally too', () => {
  const here = { proxies: 1, token: TOKEN };
  expect(may({ authorization: `Bearer ${TOKEN}`, host: 'news.example', via: 'x' }, '10.0.0.1', here)).toBe(
    true,
  );
  for (const wrong of [TOKEN.slice(1), `${TOKEN}x`, 'x']) {
    expect(may({ authorization: `Bearer ${wrong}` }, '127.0.0.1', { token: TOKEN })).toBe(false);
  }
});
