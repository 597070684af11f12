import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import webPush from 'web-push';
import { throttled } from '../../../src/islands/desk/channel.ts';
import { failedAttempt } from '../../../src/islands/outbox/retry.ts';
import { makeSender } from '../../../src/islands/outbox/sender.ts';
import { hasProvedMailbox } from '../../../src/lib/data/accounts.server.ts';
import { createRateLimit } from '../../../supabase/functions/_shared/rate-limit.ts';
import { openVapid } from '../../../supabase/functions/deliver-alerts/push.ts';

/* A clock was years ahead and is set back. Nothing may wait for that year. */

const YEARS = 3 * 365 * 86_400_000;
const NOW = Date.parse('2026-11-22T14:00:00Z');
beforeEach(() => {
  vi.useFakeTimers({ now: NOW + YEARS });
});
afterEach(() => {
  vi.useRealTimers();
});
const setBack = () => vi.setSystemTime(NOW);

test('a rate limit ends after its window', () => {
  const ask = createRateLimit(1, 60_000);
  ask('reader');
  expect(ask('reader')).toBe(60);
  setBack();
  expect(ask('reader')).toBe(60);
  vi.advanceTimersByTime(60_000);
  expect(ask('reader')).toBe(0);
});

test('presence keeps its rate', () => {
  const send = vi.fn();
  const tell = throttled(send, { most: 1, per: 30_000, settle: 500 });
  tell('one');
  vi.advanceTimersByTime(500);
  setBack();
  tell('two');
  vi.advanceTimersByTime(29_000);
  expect(send).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1_000);
  expect(send.mock.calls).toEqual([['one'], ['two']]);
});

test('a failed photo is retried', async () => {
  const attempt = vi.fn(async () => failedAttempt(null));
  makeSender({ attempt }).add('photo');
  await vi.advanceTimersByTimeAsync(0);
  expect(attempt).toHaveBeenCalledTimes(1);
  setBack();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(attempt).toHaveBeenCalledTimes(2);
});

test('a push service gets a current token', () => {
  const authorization = openVapid(webPush.generateVAPIDKeys(), 'mailto:paper@example.com');
  const then = authorization('https://push.example/1');
  setBack();
  expect(authorization('https://push.example/1')).not.toBe(then);
});

test('a proof of the mailbox from the future is invalid', () => {
  const amr = [{ method: 'otp', timestamp: (NOW + YEARS) / 1000 }];
  expect(hasProvedMailbox(amr)).toBe(true);
  setBack();
  expect(hasProvedMailbox(amr)).toBe(false);
});
