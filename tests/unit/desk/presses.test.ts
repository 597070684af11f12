import { expect, test } from 'vitest';
import { presses } from '../../../src/lib/desk/presses.ts';

function book() {
  let count = 0;
  return presses(() => `op-${++count}`);
}

test.each(['unavailable', 'internal', 'signed_out', 'rate_limited'] as const)(
  'after %s the next try is the same press',
  (code) => {
    const { opFor, settle } = book();
    const op = opFor('publish', { text: 'a' });
    settle('publish', { text: 'a' }, code);
    expect(opFor('publish', { text: 'a' })).toBe(op);
  },
);

test.each([undefined, 'invalid', 'conflict', 'forbidden', 'bad_state', 'gone'] as const)(
  'after %s it is a new one',
  (code) => {
    const { opFor, settle } = book();
    const op = opFor('publish', { text: 'a' });
    settle('publish', { text: 'a' }, code);
    expect(opFor('publish', { text: 'a' })).not.toBe(op);
  },
);

test('other words or another action are another press', () => {
  const { opFor } = book();
  const ops = [
    opFor('publish', { text: 'a' }),
    opFor('publish', { text: 'b' }),
    opFor('save', { text: 'a' }),
  ];
  expect(new Set(ops).size).toBe(3);
});

test('what sets a value is pressed anew once it was seen how things stand; what writes is not', () => {
  const { opFor, settle, looked } = book();
  const pause = { state: 'paused' };
  const lost = [opFor('set_coverage_state', pause), opFor('revise_update', pause)];
  const underWay = opFor('pin_update', pause);
  for (const action of ['set_coverage_state', 'revise_update']) settle(action, pause, 'unavailable');
  expect(opFor('set_coverage_state', pause)).toBe(lost[0]);
  settle('set_coverage_state', pause, 'unavailable');
  looked();
  expect(opFor('set_coverage_state', pause)).not.toBe(lost[0]);
  expect(opFor('revise_update', pause)).toBe(lost[1]);
  expect(opFor('pin_update', pause)).toBe(underWay);
});
