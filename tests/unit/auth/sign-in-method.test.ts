import { expect, test } from 'vitest';
import { hasProvedMailbox } from '../../../src/lib/data/accounts.server.ts';

const NOW = 1_800_000_000;

test.each(['otp', 'magiclink', 'recovery', 'invite', 'email/signup'])(
  'accepts a session begun by %s as proof of the mailbox for one hour',
  (method) => {
    expect(hasProvedMailbox([{ method, timestamp: NOW - 3600 }], NOW)).toBe(true);
    expect(hasProvedMailbox([{ method, timestamp: NOW - 3601 }], NOW)).toBe(false);
  },
);

test.each([
  ['a password', [{ method: 'password', timestamp: NOW }]],
  ['a refresh', [{ method: 'token_refresh', timestamp: NOW }]],
  ['a method without a time', ['otp']],
  ['no method', []],
  ['a missing list', undefined],
])('%s proves no mailbox', (_what, amr) => {
  expect(hasProvedMailbox(amr, NOW)).toBe(false);
});

test('the newest method counts', () => {
  const amr = [
    { method: 'otp', timestamp: NOW - 86_400 },
    { method: 'recovery', timestamp: NOW - 60 },
  ];
  expect(hasProvedMailbox(amr, NOW)).toBe(true);
});
