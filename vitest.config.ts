/// <reference types="vitest/config" />
import { getViteConfig } from 'astro/config';
import { type EngineName, MISSING_REASONS } from './tests/support/engines/installed.ts';
import { findPostgres } from './tests/support/postgres-cluster.ts';
import { MISSING_REASON } from './tests/support/wordpress/installed.ts';

/*
 * `npm test` runs the projects whose names do not begin with `full:`. They need Node and npm only.
 * `npm run test:full` runs all projects, `npm run test:rest` only those that begin with `full:`.
 *
 * A file `*.full.test.ts` belongs to the full run. It kills processes, needs a minute, or needs programs of the machine
 * or packages of tests/package.json.
 */

const FULL_FILES = 'tests/**/*.full.test.ts';

/** Options of a vitest project, as far as they are set here. */
type Options = { include?: string[]; exclude?: string[]; globalSetup?: string[] } & Record<string, unknown>;

const project = (name: string, options: Options) => ({
  extends: true as const,
  test: { name, environment: 'node', isolate: false, ...options },
});

/** The two projects of a folder of tests: one of `npm test`, and one of the full run. */
const projectsOf = (kind: string, { exclude = [], ...options }: Options = {}, full: Options = {}) => [
  project(kind, {
    include: [`tests/${kind}/**/*.test.{ts,tsx}`],
    exclude: [FULL_FILES, ...exclude],
    ...options,
  }),
  project(`full:${kind}`, { include: [`tests/${kind}/**/*.full.test.ts`], exclude, ...options, ...full }),
];

/** Files that mock a module or load one twice: they need modules of their own. All others share those of their worker. */
const OWN_MODULES = [
  'tests/backend/embedded/auth/password-timing.test.ts',
  'tests/unit/offline/page-store.test.ts',
  'tests/unit/outbox/outbox-errors.test.ts',
];

/** Files of tests/backend in which the engines cannot differ: they run on PGlite only. */
const ONLY_PGLITE = [
  'tests/backend/{functions,people}/**',
  'tests/backend/permissions.test.ts',
  'tests/backend/commands/**',
  'tests/backend/embedded/{clock.full,command-line.full,limits,malformed-requests,process.full,query-limits,start-error,tokens}.test.ts',
  'tests/backend/embedded/auth/{admin,background-mail,ban-duration,bans,devices,invite,leaks,limits,links,malformed-requests,password-timing,settings,sign-in-by-mail,sign-up,stored-tokens,user}.test.ts',
  'tests/backend/embedded/mail/**',
  'tests/backend/embedded/realtime/{broadcast,hostile-sockets,http,permission-changes,presence,sockets}.test.ts',
  'tests/backend/embedded/storage/**',
  'tests/backend/embedded/storage-resumable.test.ts',
  'tests/backend/embedded/functions.test.ts',
  'tests/backend/embedded/engine/{later-engine.full,pglite.full}.test.ts',
  'tests/backend/embedded/backup/{archive,automatic.full}.test.ts',
];

/** Files that run on PostgreSQL where it is installed, and then test both engines or PostgreSQL alone. */
const ONLY_POSTGRES = [
  'tests/backend/embedded/backup/under-load.full.test.ts',
  'tests/backend/embedded/engine/postgres.test.ts',
  'tests/backend/hosted/**',
];

/** Files of one worker share backends (tests/support/backend-test.ts). */
const BACKEND = { testTimeout: 60_000, hookTimeout: 120_000 };

/** Files of the full run that only send statements and requests: like those of `npm test`, they share backends. */
const SHARED_BACKEND = ['tests/backend/database/*.full.test.ts'];

/** Each file has a process of its own, because a database thread that is ended can take its process with it. */
const OWN_PROCESS = { ...BACKEND, isolate: true };

const postgres = findPostgres();

/** A project on a PostgreSQL of the tests' own. Without one on this machine a skipped test says so. */
const onPostgres = (name: string, options: Options) =>
  postgres
    ? project(name, { ...BACKEND, ...options, globalSetup: ['tests/support/postgres-setup.ts'] })
    : project(name, { include: ['tests/support/postgres-missing.test.ts'] });

/** Tests of a built site. Files of one worker share a site and a browser; the first test of a file creates its users. */
const SITE = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  globalSetup: ['tests/support/build.ts'],
};

/** The journeys of tests/engines in one browser engine. Without it on this machine a skipped test says so. */
const inEngine = (engine: EngineName) =>
  project(`full:${engine}`, {
    ...SITE,
    provide: { engine },
    include: [MISSING_REASONS[engine] ? 'tests/support/engine-missing.test.ts' : 'tests/engines/*.test.ts'],
    globalSetup: MISSING_REASONS[engine] ? [] : SITE.globalSetup,
  });

export default getViteConfig({
  test: {
    // Tests of sites wait about half of their time, so four files at a time keep two cores busy.
    maxWorkers: 4,
    env: { STOPPRESS_LOG: 'text', EMBEDDED_SUPABASE_LOG: 'text' },
    // A busy machine is slow: a condition that becomes true after some seconds is no fault.
    expect: { poll: { timeout: 25_000 } },
    projects: [
      ...projectsOf('unit', { testTimeout: 30_000, exclude: OWN_MODULES }),
      project('own-modules', { ...OWN_PROCESS, include: OWN_MODULES }),
      project('islands', { include: ['tests/islands/**/*.test.tsx'], testTimeout: 30_000 }),
      ...projectsOf(
        'backend',
        { ...BACKEND, exclude: [...OWN_MODULES, ...(postgres ? ONLY_POSTGRES : [])] },
        { ...OWN_PROCESS, exclude: [...SHARED_BACKEND, ...(postgres ? ONLY_POSTGRES : [])] },
      ),
      project('full:database', { ...BACKEND, include: SHARED_BACKEND }),
      onPostgres('full:postgres', {
        include: ['tests/backend/**/*.test.ts'],
        exclude: ONLY_PGLITE,
      }),
      ...projectsOf('pages', SITE),
      ...projectsOf('budget', SITE),
      project('full:soak', {
        ...SITE,
        include: ['tests/soak/**/*.full.test.ts'],
        testTimeout: 240_000,
        // It judges answers under load, so nothing else may run beside it.
        sequence: { groupOrder: 1 },
      }),
      ...projectsOf(
        'browser',
        { ...SITE, env: { TEST_CHROMIUM: 'npm' } },
        // Alerts on a device and installing need an installed Chromium.
        { env: {}, globalSetup: [...SITE.globalSetup, 'tests/support/chromium-setup.ts'] },
      ),
      // The plugin in a real WordPress. Without one on this machine a skipped test says so.
      project('full:wordpress', {
        ...SITE,
        include: [MISSING_REASON ? 'tests/support/wordpress/missing.test.ts' : 'tests/wordpress/*.test.ts'],
        globalSetup: MISSING_REASON ? [] : SITE.globalSetup,
      }),
      inEngine('firefox'),
      inEngine('webkit'),
    ],
  },
});
