import { expect, test } from 'vitest';
import { createHealth } from '../../../src/lib/server/health.ts';

test('is ready from the start of all parts until the stop, while the backend answers one shared query', async () => {
  let time = 0;
  let asked = 0;
  let answers: () => Promise<boolean> = async () => true;
  const health = createHealth(() => time);
  expect([health.known(), await health.check()]).toEqual(['starting', 'starting']);
  health.start(() => {
    asked += 1;
    return answers();
  });
  expect(await Promise.all([health.check(), health.check(), health.check()])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(asked).toBe(1);

  answers = () => Promise.reject(new Error('away'));
  time += 3_000;
  // The liveness check does not wait.
  expect(health.known()).toBeUndefined();
  expect(await health.check()).toBe('backend');
  expect(asked).toBe(2);
  answers = async () => true;
  time += 3_000;
  expect(await health.check()).toBeUndefined();

  health.stop();
  expect([health.known(), await health.check()]).toEqual(['stopping', 'stopping']);
});
