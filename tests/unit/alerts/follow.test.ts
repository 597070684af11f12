import { expect, test } from 'vitest';
import { followPath, parseSubscription } from '../../../src/lib/domain/follows.ts';
import { parseRegistration } from '../../../src/lib/http/follow-forms.server.ts';

test('names the page of a coverage and of a topic', () => {
  expect(followPath({ kind: 'coverage', slug: 'storm-ada' })).toBe('/follow/live/storm-ada');
  expect(followPath({ kind: 'topic', slug: 'floods' })).toBe('/follow/topics/floods');
});

const SUBSCRIPTION = { endpoint: 'https://push.example/a', keys: { p256dh: 'B', auth: 'a' } };

test('reads a push subscription, without other fields', () => {
  expect(parseSubscription({ ...SUBSCRIPTION, expirationTime: null })).toEqual(SUBSCRIPTION);
});

test.for([
  undefined,
  null,
  'https://push.example/a',
  [],
  {},
  { endpoint: 'https://push.example/a' },
  { ...SUBSCRIPTION, endpoint: 7 },
  { ...SUBSCRIPTION, keys: null },
  { ...SUBSCRIPTION, keys: { p256dh: 'B' } },
  { ...SUBSCRIPTION, keys: { p256dh: 'B', auth: {} } },
])('%j is no push subscription', (value) => {
  expect(parseSubscription(value)).toBeUndefined();
  expect(parseRegistration({ person: 'a', subscription: value })).toBeUndefined();
});
