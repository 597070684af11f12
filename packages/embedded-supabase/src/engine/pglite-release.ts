import type { PGlite } from '@electric-sql/pglite';

/*
 * What changes when the program takes another PGlite: this file, the version in package.json, and there the old one under a
 * name of its own. docs/decisions/2026-11-21-database-engines.md says how.
 */

/** PostgreSQL 17 in PGlite 0.4: a folder of this engine can be opened by no other major version. */
export const PGLITE: { engine: 'pglite'; version: string; postgres: number } = {
  engine: 'pglite',
  version: '0.4.5',
  postgres: 17,
};

/** Start parameters of its own, beside those that every one gets. */
export const releaseParams: string[] = [];

/** An engine that an earlier release had: still here to read the folders that it wrote, and for nothing else. */
export type OlderEngine = {
  version: string;
  postgres: number;
  /** Opens such a folder with what it was opened with then. */
  open(folder: string): Promise<PGlite>;
};

export const olderEngines: OlderEngine[] = [];
