import { test } from 'vitest';
import { expectFreshContent, useSimulations } from './simulation/worlds.ts';

useSimulations();

test('never serves outdated content as fresh in many more worlds', { timeout: 240_000 }, () =>
  expectFreshContent(21, 80),
);
