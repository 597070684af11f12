import { expect, test } from 'vitest';
import { DeliveredPositions } from '../../../../packages/embedded-supabase/src/realtime/messages.ts';

/* Times are in ms. A transaction ends within 60,000 ms. */

test('delivers a message once', () => {
  const delivered = new DeliveredPositions(4);
  expect([5, 7, 5, 6].map((position) => delivered.add(position, 0))).toEqual([true, true, false, true]);
});

test('reads again from the first position that may be missing', () => {
  const delivered = new DeliveredPositions(4);
  expect(delivered.floor).toBe(4);
  delivered.add(7, 1_000);
  delivered.add(6, 2_000);
  delivered.raiseFloor(60_999);
  // An earlier message may still be in an open transaction.
  expect(delivered.floor).toBe(4);
  delivered.raiseFloor(61_000);
  expect(delivered.floor).toBe(7);
  // 6 is still known, so it is not delivered again. Forgotten positions are not read again.
  expect(delivered.add(6, 61_000)).toBe(false);
  delivered.raiseFloor(62_000);
  expect(delivered.floor).toBe(7);
});

test('delivers everything after a connection was lost for an hour', () => {
  const delivered = new DeliveredPositions(0);
  delivered.add(2, 0);
  // 1 was sent before 2 and committed after it, while no client was subscribed. It is above the floor until it has been
  // read.
  expect(delivered.floor).toBe(0);
  expect(delivered.add(1, 3_600_000)).toBe(true);
  delivered.raiseFloor(3_600_000);
  expect(delivered.floor).toBe(2);
});
