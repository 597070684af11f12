import type { SupabaseClient } from '@supabase/supabase-js';
import type { PublicState } from '../coverage/coverage.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import type { SearchParameters } from './address.ts';

/** Something that was found: a coverage, or an update of one. Marks stand in its texts (marks.ts). */
export type Hit = {
  coverage: {
    slug: string;
    headline: string;
    kicker: string;
    state: PublicState;
    language: string;
    time_zone: string;
  };
  headline: string | null;
  snippet: string;
  key_event: boolean;
  published_at: string;
  corrected: boolean;
} & ({ kind: 'coverage' } | { kind: 'update'; number: number });

export type Answer = {
  hits: Hit[];
  /** Counted up to MOST_COUNTED. */
  total: number;
  /** Are there more on the next page? */
  more: boolean;
  page: number;
  /** The words that were looked for, where what was typed was not found as it was typed. */
  meant: string | null;
};

/** What is more than this is not counted. */
export const MOST_COUNTED = 1_000;

/**
 * What is found for a query.
 * @throws Refused `invalid` naming `query`, where there is no word in it
 */
export async function find({ q, page, ...where }: SearchParameters): Promise<Answer> {
  const given = Object.entries(where).filter(([, value]) => value !== null);
  const wanted = { query: q, ...Object.fromEntries(given), page: Number(page ?? 1) };
  const client: SupabaseClient = reader();
  return (await dataOf(client.rpc('search', { wanted }))) as Answer;
}
