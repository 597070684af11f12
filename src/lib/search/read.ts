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
  /** Null of a coverage that is still to come. */
  published_at: string | null;
  corrected: boolean;
} & ({ kind: 'coverage' } | { kind: 'update'; number: number });

export type Answer = {
  hits: Hit[];
  /** Counted up to LIMITS.search_counted. */
  total: number;
  /** Are there more on the next page? */
  more: boolean;
  page: number;
  /** The words that were looked for, where what was typed was not found as it was typed. */
  meant: string | null;
};

/**
 * What is found for a query.
 * @throws Refused `invalid` naming `query`, where there is no word in it
 */
export async function find({ q, page, ...where }: SearchParameters): Promise<Answer> {
  const given = Object.entries(where).filter(([, value]) => value !== null);
  const wanted = { query: q, ...Object.fromEntries(given), page: Number(page ?? 1) };
  // The database makes it: its types cannot say so.
  return (await dataOf(reader().rpc('search', { wanted }))) as unknown as Answer;
}
