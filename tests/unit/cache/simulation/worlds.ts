import { afterEach, expect, vi } from 'vitest';
import { serverBridge } from '../../../../src/lib/data/server-bridge.ts';
import { runSimulation } from './simulation.ts';

/**
 * Each world has a seed and can be repeated: SIMULATION_SEED=7 npx vitest run --project unit
 * tests/unit/cache/invalidation-simulation.test.ts
 */
const { SIMULATION_SEED } = process.env;

/** Restores clock, console and the invalidations of cached rows after each test of a file. */
export function useSimulations(): void {
  const { invalidations } = serverBridge;
  afterEach(() => {
    serverBridge.invalidations = invalidations;
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** Simulates the worlds of these seeds, and expects that the cache never serves outdated content as fresh. */
export async function expectFreshContent(from: number, to: number): Promise<void> {
  const seeds = SIMULATION_SEED
    ? [Number(SIMULATION_SEED)]
    : Array.from({ length: to - from + 1 }, (_, index) => from + index);
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
  expect(violations, 'the cache serves no outdated content as fresh').toEqual([]);
  expect(rounds, 'rounds of the simulations').toBeGreaterThan(SIMULATION_SEED ? 0 : 10 * seeds.length);
}
