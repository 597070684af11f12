import type { Body } from '../body/blocks.ts';
import { LIMITS } from '../limits.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Backend } from './read.ts';

/** A version of a coverage's summary: who wrote it and when. `by` is null of what the server itself wrote. */
export type SummaryVersion = { version: number; at: string; by: string | null; summary: Body };

/** Versions read at once. */
export const VERSIONS = LIMITS.versions_per_page;

/** The versions of a coverage's summary before a version, newest first. */
export async function readSummaryVersions(
  backend: Backend,
  coverage: string,
  before?: number,
): Promise<SummaryVersion[]> {
  const rows = await dataOf(
    backend.rpc('summary_versions', { coverage_id: coverage, ...(before && { before }) }),
  );
  // The database checks them: its types cannot say so.
  return rows.map((row) => ({ ...row, summary: row.summary as Body }));
}
