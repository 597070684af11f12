import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import type { LegacyEngine } from '../../../packages/embedded-supabase/src/engine/pglite-release.ts';

/* Replaces packages/embedded-supabase/src/engine/pglite-release.ts in a release with PGlite 0.5. */

export const PGLITE_RELEASE = { engine: 'pglite', version: '0.5.16', postgres: 18 } as const;

/** Other I/O methods and parallel workers would need further processes. */
export const releaseStartParams = ['-c', 'io_method=sync', '-c', 'max_parallel_maintenance_workers=0'];

export const legacyEngines: LegacyEngine[] = [
  {
    version: '0.4.5',
    postgres: 17,
    open: (folder) => PGlite.create(folder, { extensions: { pg_trgm, unaccent } }),
  },
];
