import { expect, test } from 'vitest';
import { rehearse } from '../keeping/kills.ts';
import { findPostgres } from '../support/postgres-cluster.ts';

/* A sample of `npm run kills`: everything at once, and one process that chance names. */

const ENGINES = ['pglite', ...(findPostgres() ? ['postgres'] : [])] as ('pglite' | 'postgres')[];

test.concurrent.each(ENGINES)(
  'kill -9 on %s while everybody writes: what was acknowledged is there once, and nothing by half',
  { timeout: 180_000 },
  async (engine) => {
    const came = await rehearse(engine, { times: 2, between: 500, seed: 5 });
    expect(came.acknowledged).toBeGreaterThan(30);
    expect(came).toMatchObject({ lost: [], doubled: [], torn: [], twice: [], refused: [] });
  },
);
