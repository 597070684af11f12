import { expect, test } from 'vitest';
import { readMailedLink } from '../../../src/lib/domain/sign-in.ts';

const HASH = 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4';
const read = (given: Record<string, unknown>) =>
  readMailedLink((name) => given[name], 'https://news.example');

test.each([
  ['email', 'email'],
  ['signup', 'email'],
  ['magiclink', 'email'],
  ['recovery', 'recovery'],
  ['invite', 'invite'],
  ['email_change', 'email_change'],
])('a link with type %s is for %s', (type, kind) => {
  expect(read({ type, token_hash: `pkce_${HASH}`, next: 'https://news.example/desk' })).toEqual({
    type,
    kind,
    tokenHash: `pkce_${HASH}`,
    next: '/desk',
  });
});

test.each([
  ['no type', { token_hash: HASH }],
  ['an unknown type', { type: 'sms', token_hash: HASH }],
  ['a type that every object has as a property', { type: 'toString', token_hash: HASH }],
  ['no hash', { type: 'email' }],
  ['half a hash', { type: 'email', token_hash: HASH.slice(0, 10) }],
  ['a hash that is too long', { type: 'email', token_hash: HASH.repeat(5) }],
  ['a hash with markup', { type: 'email', token_hash: `${HASH}"><script>` }],
  ['a file', { type: 'email', token_hash: new File([], HASH) }],
])('a link with %s is invalid', (_what, given) => {
  expect(read(given)).toBeNull();
});

test('the next page of a link must be on this site', () => {
  expect(read({ type: 'email', token_hash: HASH, next: 'https://evil.example/' })?.next).toBeNull();
});
