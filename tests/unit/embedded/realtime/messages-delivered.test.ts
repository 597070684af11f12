import { expect, test } from 'vitest';
import { Delivered } from '../../../../packages/embedded-supabase/src/realtime/message-feed.ts';

/* Times are in ms; a transaction is over within 60,000. */

test('a message is handed on once', () => {
  const delivered = new Delivered(4);
  expect([5, 7, 5, 6].map((position) => delivered.add(position, 0))).toEqual([true, true, false, true]);
});

test('what is read again begins behind what cannot be missing', () => {
  const delivered = new Delivered(4);
  expect(delivered.floor).toBe(4);
  delivered.add(7, 1_000);
  delivered.add(6, 2_000);
  delivered.allUntil(60_999);
  // Another one before 7 may have been under way until now.
  expect(delivered.floor).toBe(4);
  delivered.allUntil(61_000);
  expect(delivered.floor).toBe(7);
  // 6 is still known, so that it is not handed on again; what is forgotten is not read again.
  expect(delivered.add(6, 61_000)).toBe(false);
  delivered.allUntil(62_000);
  expect(delivered.floor).toBe(7);
});

test('a line that was lost for an hour leaves nothing out', () => {
  const delivered = new Delivered(0);
  delivered.add(2, 0);
  // 1 was sent before 2 and committed after it, when nobody listened: it is behind the floor until it has been read.
  expect(delivered.floor).toBe(0);
  expect(delivered.add(1, 3_600_000)).toBe(true);
  delivered.allUntil(3_600_000);
  expect(delivered.floor).toBe(2);
});
