import type { Extension, PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { MAX_TIMER_DELAY_MS } from '../timers.ts';
import { releaseStartParams } from './pglite-release.ts';
import { parsers, serializers } from './values.ts';

const setting = (name: string, value: string) => ['-c', `${name}=${value}`];

/**
 * PGlite's own start parameters (PGlite.defaultStartParams) with three changes. There is no `-F`, so that commits
 * request an fsync. The sync method is `fsync`, because PGlite's disk layer ignores the other call. The buffers are
 * small, because one newsroom never needs the default of 128 MB.
 */
const startParams = [
  '--single',
  '-O',
  '-j',
  ...setting('search_path', '"$user",public,extensions'),
  ...setting('exit_on_error', 'false'),
  ...setting('log_checkpoints', 'false'),
  ...setting('max_worker_processes', '0'),
  ...setting('max_parallel_workers', '0'),
  ...setting('max_parallel_workers_per_gather', '0'),
  ...setting('wal_sync_method', 'fsync'),
  ...setting('shared_buffers', '16MB'),
  ...setting('wal_buffers', '1MB'),
  ...setting('timezone', 'UTC'),
  ...releaseStartParams,
];

/** Parsers for the types that lite expects as numbers, JSON or text. PGlite would turn some of them into dates. */
const liteParsers = {
  20: (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  114: JSON.parse,
  3802: JSON.parse,
  1082: (text: string) => text,
  1083: (text: string) => text,
  1266: (text: string) => text,
};

type Imports = { env?: Record<string, unknown> };
type Instantiated = (instance: WebAssembly.Instance, module: WebAssembly.Module) => unknown;
type Instantiate = (imports: Imports, done: Instantiated) => unknown;

/**
 * Caps the delay of the timers that PostgreSQL sets for a wall-clock time. After the clock is set back by years, a
 * delay can exceed the maximum of a JavaScript timer. Such a timer fires at once, and PostgreSQL sets it again, a
 * thousand times a second. A capped timer wakes PostgreSQL early; PostgreSQL then checks the clock and sets the timer
 * again.
 */
const cappedTimers: Extension = {
  name: 'capped_timers',
  async setup(_pg, options: { instantiateWasm: Instantiate }) {
    const instantiateWasm: Instantiate = (imports, done) => {
      const setTimer = imports.env?._setitimer_js;
      if (imports.env && typeof setTimer === 'function') {
        imports.env._setitimer_js = (which: number, ms: number) =>
          setTimer(which, Math.min(ms, MAX_TIMER_DELAY_MS));
      }
      return options.instantiateWasm(imports, done);
    };
    return { emscriptenOpts: { ...options, instantiateWasm } };
  },
};

/** Options of PGlite, except its folder. */
export const pgliteOptions: Omit<PGliteOptions, 'dataDir'> = {
  parsers: { ...liteParsers, ...parsers },
  serializers,
  startParams,
  extensions: { pg_trgm, pgcrypto, unaccent, capped_timers: cappedTimers },
};

/** Passes PGlite's compiled WebAssembly module to `onCompiled`, so that a later start need not compile it again. */
export const captureWasmModule = (onCompiled: (module: WebAssembly.Module) => void): Extension => ({
  name: 'compiled',
  async setup(_pg, options: { instantiateWasm: Instantiate }) {
    const instantiateWasm: Instantiate = (imports, done) =>
      options.instantiateWasm(imports, (instance, module) => {
        onCompiled(module);
        return done(instance, module);
      });
    return { emscriptenOpts: { ...options, instantiateWasm } };
  },
});
