import { expect, test } from 'vitest';
import { idempotencyKeys } from '../../../src/islands/desk/backend.ts';

function newKeys() {
  let count = 0;
  return idempotencyKeys(() => `op-${++count}`);
}

test.each(['unavailable', 'internal', 'signed_out', 'rate_limited'] as const)(
  'reuses the idempotency key after %s',
  (code) => {
    const { keyFor, settle } = newKeys();
    const idempotency_key = keyFor('publish', { text: 'a' });
    settle('publish', { text: 'a' }, code);
    expect(keyFor('publish', { text: 'a' })).toBe(idempotency_key);
  },
);

test.each([undefined, 'invalid', 'conflict', 'forbidden', 'bad_state', 'gone'] as const)(
  'uses a new idempotency key after %s',
  (code) => {
    const { keyFor, settle } = newKeys();
    const idempotency_key = keyFor('publish', { text: 'a' });
    settle('publish', { text: 'a' }, code);
    expect(keyFor('publish', { text: 'a' })).not.toBe(idempotency_key);
  },
);

test('other arguments or another action get another key', () => {
  const { keyFor } = newKeys();
  const ops = [
    keyFor('publish', { text: 'a' }),
    keyFor('publish', { text: 'b' }),
    keyFor('save', { text: 'a' }),
  ];
  expect(new Set(ops).size).toBe(3);
});

test('commands that set a value get a new key after a refetch, others do not', () => {
  const { keyFor, settle, refetched } = newKeys();
  const pause = { state: 'paused' };
  const lost = [keyFor('set_coverage_state', pause), keyFor('revise_update', pause)];
  const underWay = keyFor('pin_update', pause);
  for (const action of ['set_coverage_state', 'revise_update']) settle(action, pause, 'unavailable');
  expect(keyFor('set_coverage_state', pause)).toBe(lost[0]);
  settle('set_coverage_state', pause, 'unavailable');
  refetched();
  expect(keyFor('set_coverage_state', pause)).not.toBe(lost[0]);
  expect(keyFor('revise_update', pause)).toBe(lost[1]);
  expect(keyFor('pin_update', pause)).toBe(underWay);
});
