import { expect, test } from 'vitest';
import { runChaos } from '../chaos/run.ts';
import { findPostgres } from '../support/postgres-cluster.ts';

/* A sample of `npm run chaos`: every kind of write at once, and killed processes chosen at random. */

const ENGINES = ['pglite', ...(findPostgres() ? ['postgres'] : [])] as ('pglite' | 'postgres')[];

test.concurrent.each(ENGINES)(
  'keeps acknowledged writes exactly once when processes are killed with kill -9 on %s',
  { timeout: 180_000 },
  async (engine) => {
    const result = await runChaos(engine, { times: 2, between: 500, seed: 5 });
    expect(result.acknowledged).toBeGreaterThan(30);
    expect(result).toMatchObject({
      lost: [],
      duplicated: [],
      inconsistent: [],
      repeatedMails: [],
      refused: [],
    });
  },
);
