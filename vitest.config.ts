/// <reference types="vitest/config" />
import { getViteConfig } from 'astro/config';
import { type EngineName, MISSING } from './tests/support/engines/installed.ts';
import { findPostgres } from './tests/support/postgres-cluster.ts';

/** One project for each kind of test; what a kind needs (a backend, a build, a browser) is its own set-up. */
const project = (name: string, more: Record<string, unknown> = {}) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.{ts,tsx}`], environment: 'node', ...more },
});

/**
 * Files of tests/backend that no engine makes a difference to: they run on PGlite alone. Of auth, storage, realtime and
 * functions the conformance suite asks on both.
 */
const ON_PGLITE = [
  'tests/backend/{functions,people}/**',
  'tests/backend/permissions.test.ts',
  'tests/backend/commands/**',
  'tests/backend/embedded/{bounds,clock,junk,limits,process,start-error,tokens}.test.ts',
  'tests/backend/embedded/auth/{about,admin,afterwards,ban-duration,bans,by-mail,devices,invite,junk,leaks,limits,links,same-work,sign-up,tokens-kept,user}.test.ts',
  'tests/backend/embedded/mail/**',
  'tests/backend/embedded/realtime/{again,broadcast,hostile,http,presence,sockets}.test.ts',
  'tests/backend/embedded/storage/**',
  'tests/backend/embedded/storage-resumable.test.ts',
  'tests/backend/embedded/functions.test.ts',
  'tests/backend/embedded/engine/later-engine.test.ts',
  'tests/backend/embedded/backup/{archive,automatic}.test.ts',
];

/**
 * The law rule by rule: who may do what, what is refused, what an act leaves. It is SQL, and thousands of questions: they are
 * asked once, on PostgreSQL, which answers them sooner and is the older of the two; what people do is done on PGlite, by
 * tests/pages and tests/browser. Locks, messages and cascades, in which engines could differ, are asked on both, and so is
 * the catalog, which says who holds what.
 * A machine without PostgreSQL asks everything on PGlite.
 */
const ON_POSTGRES = [
  // It goes through both engines by itself.
  'tests/backend/embedded/backup/under-load.test.ts',
  'tests/backend/hosted/**',
  'tests/backend/law/{accounts,administration,alerts,coverage-archive,coverage-rules,devices,follows,invisible,matrix,my-data,owners,people,people-list,photo-objects,photos,rights,search-visible,sessions,standing,tip-lists,tip-queue,tip-updates,tips,transitions,update-rules,writes}.test.ts',
];

const BACKEND = { testTimeout: 30_000, hookTimeout: 60_000 };

const postgres = findPostgres();

/** The journeys of tests/engines in one browser engine; where it is not installed, one skipped test says so. */
const engineProject = (engine: EngineName) =>
  project(engine, {
    provide: { engine },
    include: [MISSING[engine] ? 'tests/support/engine-missing.test.ts' : 'tests/engines/*.test.ts'],
    // A busy machine takes long to start a browser.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    globalSetup: MISSING[engine] ? [] : ['tests/support/build.ts'],
  });

export default getViteConfig({
  test: {
    // Two cores: one file at a time on each.
    maxWorkers: 2,
    // The log as people read it.
    env: { STOPPRESS_LOG: 'text' },
    projects: [
      project('unit'),
      project('islands'),
      project('backend', { ...BACKEND, exclude: postgres ? ON_POSTGRES : [] }),
      // What an engine makes a difference to once more, on a PostgreSQL of the tests' own: where this machine has one to run.
      project(
        'postgres',
        postgres
          ? {
              ...BACKEND,
              include: ['tests/backend/**/*.test.ts'],
              exclude: ON_PGLITE,
              globalSetup: ['tests/support/postgres-setup.ts'],
            }
          : { include: ['tests/support/postgres-missing.test.ts'] },
      ),
      project('pages', {
        // The first test of a file also starts its site and signs everybody up.
        testTimeout: 60_000,
        hookTimeout: 120_000,
        globalSetup: ['tests/support/build.ts'],
      }),
      // What may not grow: bytes of each page, rows and buffers of each route. By itself: npm run budget.
      project('budget', {
        testTimeout: 120_000,
        hookTimeout: 180_000,
        globalSetup: ['tests/support/build.ts'],
      }),
      // An evening in a minute; the whole quarter of an hour is npm run soak.
      project('soak', {
        testTimeout: 240_000,
        hookTimeout: 60_000,
        globalSetup: ['tests/support/build.ts'],
      }),
      project('browser', {
        testTimeout: 60_000,
        hookTimeout: 120_000,
        // As long as Playwright waits: a busy machine is slow, not wrong.
        expect: { poll: { timeout: 15_000 } },
        globalSetup: ['tests/support/build.ts', 'tests/support/chromium-setup.ts'],
      }),
      engineProject('firefox'),
      engineProject('webkit'),
    ],
  },
});
