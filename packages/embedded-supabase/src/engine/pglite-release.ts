import type { PGlite } from '@electric-sql/pglite';

/*
 * To upgrade PGlite, change this file and the version in package.json, and keep the old version in package.json under
 * another name. See docs/decisions/2026-11-21-database-engines.md.
 */

/** PGlite 0.4 contains PostgreSQL 17. No other major version of PostgreSQL can open a folder of this engine. */
export const PGLITE_RELEASE: { engine: 'pglite'; version: string; postgres: number } = {
  engine: 'pglite',
  version: '0.4.5',
  postgres: 17,
};

/** Start parameters for this release of PGlite only. pglite-options.ts has those for every release. */
export const releaseStartParams: string[] = [];

/** The engine of an earlier release. It is kept only to read the folders that it wrote. */
export type LegacyEngine = {
  version: string;
  postgres: number;
  /** Opens such a folder with the options that the earlier release used. */
  open(folder: string): Promise<PGlite>;
};

export const legacyEngines: LegacyEngine[] = [];
