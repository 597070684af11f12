import { expect, test } from 'vitest';
import { runChaos } from '../chaos/run.ts';
import { findPostgres } from '../support/postgres-cluster.ts';

/* A sample of `npm run chaos`: every kind of write at once, and killed processes chosen at random. */

const ENGINES = ['pglite', ...(findPostgres() ? ['postgres'] : [])] as ('pglite' | 'postgres')[];

test.concurrent.each(ENGINES)(
  'keeps acknowledged writes exactly once when processes are killed with kill -9 on %s',
  { timeout: 180_000 },
  async (engine) => {
    const { acknowledged, lost, duplicated, inconsistent, repeatedMails, refused } = await runChaos(engine, {
      times: 2,
      between: 500,
      seed: 5,
    });
    expect({ lost, duplicated, inconsistent, repeatedMails, refused }).toEqual({
      lost: [],
      duplicated: [],
      inconsistent: [],
      repeatedMails: [],
      refused: [],
    });
    expect(acknowledged).toBeGreaterThan(30);
  },
);
