import { test as base } from 'vitest';
import { openTestContext, type TestContext } from './actors.ts';
import {
  type BackendOptions,
  type OwnedBackend,
  startBackend,
  startOwnedBackend,
  type TestBackend,
} from './backend.ts';
import { type Catalog, openCatalog } from './database.ts';
import { sharedPrograms } from './shared.ts';

/** Maximum number of backends that a worker keeps running for its files. A backend takes about 150 MB. */
const SHARED_BACKENDS = 3;

const backends = sharedPrograms<BackendOptions, TestBackend>(SHARED_BACKENDS, startBackend);

const owned = sharedPrograms<object, OwnedBackend & { context: TestContext }>(1, async () => {
  const backend = await startOwnedBackend();
  return { ...backend, context: await openTestContext(backend) };
});

let catalog: Promise<Catalog> | undefined;

/**
 * A test with a backend that the files of a worker share. Files with the same `backendOptions` share one backend. A
 * file sets the options with `test.extend('backendOptions', …)`. A file that stops its backend, fills it or counts its
 * rows must start its own.
 */
export const test = base
  .extend('backendOptions', { scope: 'file' }, {} as BackendOptions)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('sharedBackends', { scope: 'worker' }, ({}, { onCleanup }) => {
    // Every extended test registers this cleanup, and the worker runs all of them.
    onCleanup(async () => {
      const opened = catalog;
      catalog = undefined;
      await Promise.all([backends.stopAll(), owned.stopAll(), opened?.then((last) => last.close())]);
    });
    return { backends, owned, catalog: () => (catalog ??= openCatalog()) };
  })
  .extend('backend', { scope: 'file' }, ({ backendOptions, sharedBackends }) =>
    sharedBackends.backends.get(backendOptions),
  )
  /** A test context with one person for each actor, on a backend with `sql`. */
  .extend('context', { scope: 'file' }, async ({ sharedBackends }) => {
    const { context, ...backend } = await sharedBackends.owned.get({});
    return { ...context, backend };
  })
  /** An empty database with all migrations, for queries of its catalog. */
  .extend('catalog', { scope: 'file' }, ({ sharedBackends }) => sharedBackends.catalog());
