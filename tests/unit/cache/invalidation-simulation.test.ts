import { afterEach, expect, test, vi } from 'vitest';
import { runSimulation } from './race/world.ts';

const SIMULATIONS = 80;
/**
 * Each world has a seed and can be repeated: RACE_SEED=7 npx vitest run --project unit
 * tests/unit/cache/race.test.ts
 */
const { RACE_SEED } = process.env;
const seeds = RACE_SEED ? [Number(RACE_SEED)] : Array.from({ length: SIMULATIONS }, (_, index) => index + 1);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('never serves outdated content as fresh, whatever is late, lost or broken', {
  timeout: 60_000,
}, async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const violations: string[] = [];
  let rounds = 0;
  for (const seed of seeds) {
    const simulation = await runSimulation(seed);
    rounds += simulation.rounds;
    for (const [invariant, how] of simulation.violations)
      violations.push(`RACE_SEED=${seed} ${invariant}: ${how}, in ${JSON.stringify(simulation.profile)}`);
  }
  expect(violations).toEqual([]);
  expect(rounds).toBeGreaterThan(RACE_SEED ? 0 : 10 * seeds.length);
});
