import type { SupabaseClient } from '@supabase/supabase-js';
import { allRows } from './half-writes.ts';

/** Everything that a visitor may read of a newsroom, table by table, in an order of its own. */
export async function whatReadersSee(visitor: SupabaseClient): Promise<Record<string, object[]>> {
  const seen: Record<string, object[]> = {};
  for (const [table, columns, ...key] of READ)
    seen[table] = await allRows<object>(visitor, table, columns, ...key);
  for (const [name, args] of ASKED) {
    const { data, error } = await visitor.rpc(name, args);
    if (error) throw error;
    seen[name] = (Array.isArray(data) ? data : [data]) as object[];
  }
  return seen;
}

const READ: [string, string, ...string[]][] = [
  ['site', 'name, tagline, contact, seq', 'name'],
  ['topics', 'id, slug, name, description', 'id'],
  ['people', 'id, handle, display_name, bio', 'id'],
  [
    'coverages',
    'id, slug, kicker, headline, standfirst, summary, state, seq, update_count, pinned_update, published_at',
    'id',
  ],
  ['coverage_slugs', 'slug, coverage_id', 'slug'],
  ['coverage_changes', 'coverage_id, seq, update_id, kind', 'coverage_id', 'seq'],
  [
    'updates',
    'id, coverage_id, number, state, headline, body, key_event, urgency, version, seq, published_at, withdrawn_at',
    'id',
  ],
  ['update_bylines', 'update_id, person_id', 'update_id', 'person_id'],
  [
    'update_history',
    'update_id, version, kind, headline, body, bylines, redacted_reason',
    'update_id',
    'version',
  ],
  ['update_notes', 'update_id, version, note', 'update_id', 'version'],
  ['photos', 'id, width, height, prints, colour, alt, credit', 'id'],
];

const ASKED: [string, Record<string, unknown>][] = [
  ['search', { wanted: { query: 'bridge' } }],
  ['corrections', {}],
];
