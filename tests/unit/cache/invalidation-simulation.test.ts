import { afterEach, expect, test, vi } from 'vitest';
import { runSimulation } from './simulation/simulation.ts';

const SIMULATIONS = 80;
/**
 * Each world has a seed and can be repeated: SIMULATION_SEED=7 npx vitest run --project unit
 * tests/unit/cache/invalidation-simulation.test.ts
 */
const { SIMULATION_SEED } = process.env;
const seeds = SIMULATION_SEED
  ? [Number(SIMULATION_SEED)]
  : Array.from({ length: SIMULATIONS }, (_, index) => index + 1);

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
      violations.push(
        `SIMULATION_SEED=${seed} ${invariant}: ${how}, in ${JSON.stringify(simulation.profile)}`,
      );
  }
  expect(violations).toEqual([]);
  expect(rounds).toBeGreaterThan(SIMULATION_SEED ? 0 : 10 * seeds.length);
});
