import type { SupabaseClient } from '@supabase/supabase-js';

/** Maximum rows of one response. */
const PAGE = 1000;

/**
 * Reads all rows of a table, page by page.
 * @param key columns to order by
 */
export async function allRows<Row>(
  service: SupabaseClient,
  table: string,
  columns: string,
  ...key: string[]
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    let query = service.from(table).select(columns);
    for (const column of key) query = query.order(column);
    const { data, error } = await query.range(rows.length, rows.length + PAGE - 1);
    if (error) throw error;
    rows.push(...(data as Row[]));
    if (data.length < PAGE) return rows;
  }
}

type Coverage = { id: string; seq: number; update_count: number };
type Update = {
  id: string;
  coverage_id: string;
  number: number | null;
  version: number;
  seq: number | null;
  headline: string | null;
};
type Revision = { update_id: string; version: number; content: { headline: string | null } };
type Change = { coverage_id: string; seq: number; update_id: string | null; kind: string };

/**
 * Finds contradictions that an interrupted write would leave. Updates may be published and revised, but not withdrawn.
 * @returns one sentence for each contradiction
 */
export async function findInconsistencies(service: SupabaseClient): Promise<string[]> {
  const coverages = await allRows<Coverage>(service, 'coverages', 'id, seq, update_count', 'id');
  const updates = await allRows<Update>(
    service,
    'updates',
    'id, coverage_id, number, version, seq, headline',
    'id',
  );
  const revisions = await allRows<Revision>(
    service,
    'update_revisions',
    'update_id, version, content',
    'update_id',
    'version',
  );
  const changes = await allRows<Change>(
    service,
    'coverage_changes',
    'coverage_id, seq, update_id, kind',
    'coverage_id',
    'seq',
  );
  const problems: string[] = [];
  const check = (right: boolean, sentence: string) => void (right || problems.push(sentence));

  for (const { id, seq, update_count } of coverages) {
    const seqs = changes.filter((one) => one.coverage_id === id).map((one) => one.seq);
    check(isCount(seqs) && seqs.length === seq, `coverage ${id}: its changes are not 1 to ${seq}`);
    const numbers = updates.flatMap((one) => (one.coverage_id === id ? (one.number ?? []) : []));
    check(
      isCount(numbers) && numbers.length === update_count,
      `coverage ${id}: its numbers are not 1 to ${update_count}`,
    );
  }
  for (const { id, number, version, seq, headline } of updates) {
    const own = revisions.filter((one) => one.update_id === id);
    const newest = own.find((one) => one.version === version);
    check(
      isCount(own.map((one) => one.version)) && own.length === version,
      `update ${id}: versions do not end at ${version}`,
    );
    check(newest?.content.headline === headline, `update ${id}: its newest version says otherwise`);
    const ownChanges = changes.filter((one) => one.update_id === id);
    const published = ownChanges.filter((one) => one.kind === 'publication').length;
    check(published === (number === null ? 0 : 1), `update ${id}: published ${published} times`);
    check(
      number === null || seq === Math.max(...ownChanges.map((one) => one.seq)),
      `update ${id}: its seq is not its last change`,
    );
  }
  return problems;
}

/** Returns whether the numbers are 1, 2, 3 … in any order. */
function isCount(numbers: number[]): boolean {
  const there = new Set(numbers);
  return there.size === numbers.length && numbers.every((one) => one >= 1 && one <= numbers.length);
}

/** Reads everything that a visitor may read, table by table. */
export async function readPublicRows(visitor: SupabaseClient): Promise<Record<string, object[]>> {
  const seen: Record<string, object[]> = {};
  for (const [table, columns, ...key] of TABLES)
    seen[table] = await allRows<object>(visitor, table, columns, ...key);
  for (const [name, args] of FUNCTIONS) {
    const { data, error } = await visitor.rpc(name, args);
    if (error) throw error;
    seen[name] = (Array.isArray(data) ? data : [data]) as object[];
  }
  return seen;
}

const TABLES: [string, string, ...string[]][] = [
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
  ['photos', 'id, width, height, renditions, placeholder_colour, alt, credit', 'id'],
];

const FUNCTIONS: [string, Record<string, unknown>][] = [
  ['search', { filters: { query: 'bridge' } }],
  ['list_corrections', {}],
];
