import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucket } from '../../../../supabase/embedded/bucket.ts';
import { inOrder } from '../../../../supabase/embedded/realtime/in-order.ts';
import { LINE } from '../../../../supabase/embedded/realtime/limits.ts';
import { openLines } from '../../../../supabase/embedded/realtime/lines.ts';

test('a bucket never gives more than it holds and gains', () => {
  const takings = fc.array(fc.record({ after: fc.nat(500), tokens: fc.integer({ min: 1, max: 8 }) }));
  fc.assert(
    fc.property(takings, (all) => {
      let now = 0;
      let given = 0;
      const { take } = bucket({ capacity: 10, perSecond: 20 }, () => now);
      for (const { after, tokens } of all) {
        now += after;
        if (take(tokens)) given += tokens;
        expect(given).toBeLessThanOrEqual(10 + (now / 1000) * 20 + 1e-6);
      }
    }),
  );
});

test('a bucket that was left alone is full, and no more than that', () => {
  let now = 0;
  const { take } = bucket({ capacity: 2, perSecond: 1 }, () => now);
  now = 60_000;
  expect([take(2), take()]).toEqual([true, false]);
  now += 1000;
  expect([take(), take()]).toEqual([true, false]);
});

test('a line has so many sockets open, however many it closes, and this machine has no bound of its own', () => {
  const lines = openLines();
  const line = lines.of('203.0.113.9');
  const opened = Array.from({ length: LINE.sockets + 5 }, () => line.open());
  expect(opened.filter(Boolean)).toHaveLength(LINE.sockets);
  for (let n = 0; n < LINE.sockets; n++) line.closed();
  // What it may open in a second is used up too.
  expect(Array.from({ length: 100 }, () => line.open()).filter(Boolean).length).toBeLessThan(100);
  expect(lines.of('203.0.113.10').open()).toBe(true);
  for (const address of [undefined, '127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    const here = lines.of(address);
    expect(Array.from({ length: 2000 }, () => here.open())).not.toContain(false);
  }
});

test('what a line has others sent is bounded by its bytes', () => {
  const line = openLines().of('203.0.113.9');
  expect([line.deliver(LINE.delivered.capacity), line.deliver(LINE.delivered.capacity)]).toEqual([
    true,
    false,
  ]);
});

test('things are handled one after the other, and the rest is held back meanwhile', async () => {
  const told: string[] = [];
  const first = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const add = inOrder<string>({
    handle(thing) {
      told.push(thing);
      return thing === 'first' ? first.promise : undefined;
    },
    onWaiting: () => told.push('wait'),
    onFree: () => free.resolve(),
    onError: () => {},
  });
  for (const thing of ['zeroth', 'first', 'second', 'third']) add(thing);
  expect(told).toEqual(['zeroth', 'first', 'wait', 'wait']);
  first.resolve();
  await free.promise;
  expect(told.slice(-2)).toEqual(['second', 'third']);
});

test('what waited behind a fault is forgotten, and what comes later is handled', async () => {
  const told: unknown[] = [];
  const failed = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const add = inOrder<string>({
    handle: (thing) => (thing === 'bad' ? failed.promise : void told.push(thing)),
    onWaiting: () => {},
    onFree: () => free.resolve(),
    onError: (error) => told.push(error),
  });
  add('bad');
  add('behind');
  failed.reject('fault');
  await free.promise;
  add('later');
  expect(told).toEqual(['fault', 'later']);
});
