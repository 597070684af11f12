import { expect, test } from 'vitest';
import { resolveFollow } from '../../../src/lib/coverage/follow.ts';

test('what the newsroom has set is done, however many follow by socket', () => {
  expect(resolveFollow('sockets', { most: 0, open: 5000 })).toBe('sockets');
  expect(resolveFollow('checks', { most: 10_000, open: 0 })).toBe('checks');
});

test('left to the server, sockets are opened below its number, and kept at it', () => {
  expect(resolveFollow('auto', { most: 0, open: 0 })).toBe('checks');
  expect(resolveFollow('auto', { most: 2, open: 1 })).toBe('sockets');
  expect(resolveFollow('auto', { most: 2, open: 2 })).toBe('full');
  expect(resolveFollow('auto', { most: 2, open: 3 })).toBe('full');
});
