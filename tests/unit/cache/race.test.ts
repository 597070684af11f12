import { afterEach, expect, test, vi } from 'vitest';
import { play } from './race/world.ts';

const WORLDS = 80;
/**
 * Each world has a seed and can be repeated: RACE_SEED=7 npx vitest run --project unit
 * tests/unit/cache/race.test.ts
 */
const { RACE_SEED } = process.env;
const seeds = RACE_SEED ? [Number(RACE_SEED)] : Array.from({ length: WORLDS }, (_, index) => index + 1);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('never serves outdated content as fresh, whatever is late, lost or broken', {
  timeout: 60_000,
}, async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const broken: string[] = [];
  let rounds = 0;
  for (const seed of seeds) {
    const world = await play(seed);
    rounds += world.rounds;
    for (const [law, how] of world.broken)
      broken.push(`RACE_SEED=${seed} ${law}: ${how}, in ${JSON.stringify(world.profile)}`);
  }
  expect(broken).toEqual([]);
  expect(rounds).toBeGreaterThan(RACE_SEED ? 0 : 10 * seeds.length);
});
