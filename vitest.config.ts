/// <reference types="vitest/config" />
import { getViteConfig } from 'astro/config';
import { findPostgres } from './tests/support/postgres-cluster.ts';

/** One project for each kind of test; what a kind needs (a backend, a build, a browser) is its own set-up. */
const project = (name: string, more: Record<string, unknown> = {}) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.{ts,tsx}`], environment: 'node', ...more },
});

/** Files of tests/backend that no engine makes a difference to: the conformance suite asks the same services on both. */
const ON_ONE_ENGINE = [
  'tests/backend/functions/**',
  'tests/backend/commands/types.test.ts',
  'tests/backend/embedded/{bounds,junk,limits,start-error,tokens}.test.ts',
  'tests/backend/embedded/auth/{about,admin,afterwards,ban-duration,bans,by-mail,invite,junk,leaks,limits,links,same-work,sign-up,tokens-kept}.test.ts',
  'tests/backend/embedded/mail/**',
  'tests/backend/embedded/realtime/{again,broadcast,hostile,http,presence,sockets}.test.ts',
  'tests/backend/embedded/storage/**',
  'tests/backend/embedded/storage-resumable.test.ts',
  'tests/backend/embedded/functions.test.ts',
  'tests/backend/embedded/backup/automatic.test.ts',
];

const BACKEND = { testTimeout: 30_000, hookTimeout: 60_000 };

export default getViteConfig({
  test: {
    // Two cores: one file at a time on each.
    maxWorkers: 2,
    projects: [
      project('unit'),
      project('islands'),
      project('backend', BACKEND),
      // The same tests once more, on a PostgreSQL server of theirs: where this machine has one to run.
      project(
        'postgres',
        findPostgres()
          ? {
              ...BACKEND,
              include: ['tests/backend/**/*.test.ts'],
              exclude: ON_ONE_ENGINE,
              globalSetup: ['tests/support/postgres-setup.ts'],
            }
          : { include: ['tests/support/postgres-missing.test.ts'] },
      ),
      project('pages', {
        testTimeout: 30_000,
        hookTimeout: 120_000,
        globalSetup: ['tests/support/build.ts'],
      }),
      // What may not grow: bytes of each page, rows and buffers of each route. By itself: npm run budget.
      project('budget', {
        testTimeout: 120_000,
        hookTimeout: 180_000,
        globalSetup: ['tests/support/build.ts'],
      }),
      project('browser', {
        testTimeout: 60_000,
        hookTimeout: 120_000,
        // As long as Playwright waits: a busy machine is slow, not wrong.
        expect: { poll: { timeout: 15_000 } },
        globalSetup: ['tests/support/build.ts'],
      }),
    ],
  },
});
