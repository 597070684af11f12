import { test } from 'vitest';
import { expectFreshContent, useSimulations } from './simulation/worlds.ts';

useSimulations();

// The full run simulates more worlds.
test('never serves outdated content as fresh, whatever is late, lost or broken', { timeout: 120_000 }, () =>
  expectFreshContent(1, 20),
);
