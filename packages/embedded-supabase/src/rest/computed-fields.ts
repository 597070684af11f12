import type { Query } from './query-check.ts';
import type { Introspection } from './request-values.ts';

/** Names of the functions whose only argument is a row of a table, by table. */
type ComputedFields = Map<string, Set<string>>;

const fieldsCache = new WeakMap<Introspection, ComputedFields>();

function computedFieldsOf(introspection: Introspection): ComputedFields {
  const cached = fieldsCache.get(introspection);
  if (cached) return cached;
  const tables = new Set([...introspection.tables, ...introspection.views].map(({ name }) => name));
  const fields: ComputedFields = new Map();
  for (const { name, arg_types, return_is_setof } of introspection.functions ?? []) {
    const table = tableOfType(arg_types[0] ?? '');
    if (arg_types.length !== 1 || return_is_setof || !tables.has(table)) continue;
    fields.set(table, (fields.get(table) ?? new Set()).add(name));
  }
  fieldsCache.set(introspection, fields);
  return fields;
}

/** Returns the name of a type without its schema and quotes: `things` for `public."things"`. */
const tableOfType = (type: string) => type.slice(type.lastIndexOf('.') + 1).replace(/^"|"$/g, '');

/**
 * Qualifies computed fields with the name of their rows, because PostgreSQL knows `things.loud_name` and not
 * `loud_name`. lite itself qualifies a field only where it is selected from a table without another name, or filtered.
 */
export function qualifyComputedFields(query: Query, introspection: Introspection): void {
  const rows = rowsOf(query, introspection);
  if (!rows) return;
  const fields = computedFieldsOf(introspection);
  qualifyLevel(query, rows.alias, fields.get(rows.table), fields, [rows.alias]);
  query.where = qualifyKeys(query.where, rows.alias, fields.get(rows.table));
}

type Level = Pick<Query, 'select' | 'join' | 'order'>;
type SelectedPart = { column?: string; spread?: unknown } & Level;

/** @param outer names of the rows around this level. A field of an inner table of the same name stays unqualified */
function qualifyLevel(
  { select, join, order }: Level,
  alias: string,
  names: Set<string> | undefined,
  fields: ComputedFields,
  outer: string[],
): void {
  const parts = Array.isArray(select) ? (select as (string | Record<string, SelectedPart>)[]) : [];
  for (const [n, part] of parts.entries()) {
    if (typeof part === 'string') {
      if (outer.length === 1 && names?.has(part)) parts[n] = `${alias}.${part}`;
      continue;
    }
    for (const [name, selected] of Object.entries(part)) {
      const column = selected.column ?? name;
      if (!selected.select && names?.has(column)) selected.column = `${alias}.${column}`;
      const table = (join as Record<string, { from?: string }> | undefined)?.[name]?.from ?? name;
      // lite qualifies the fields of spread tables itself.
      if (selected.select && !selected.spread && !outer.includes(table))
        qualifyLevel(selected, table, fields.get(table), fields, [...outer, table]);
    }
  }
  for (const entry of (order ?? []) as { column: string; embed?: string }[]) {
    if (!entry.embed && names?.has(entry.column)) entry.column = `${alias}.${entry.column}`;
  }
}

/** Qualifies the keys of a filter that are computed fields. */
function qualifyKeys(where: unknown, alias: string, names: Set<string> | undefined): unknown {
  if (Array.isArray(where)) return where.map((part) => qualifyKeys(part, alias, names));
  if (typeof where !== 'object' || where === null) return where;
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) =>
      ['$and', '$or', '$not'].includes(key)
        ? [key, qualifyKeys(value, alias, names)]
        : [names?.has(key) ? `${alias}.${key}` : key, value],
    ),
  );
}

/** Returns the table whose rows a query returns, and the name of these rows in SQL. */
function rowsOf(
  query: Query,
  { functions = [] }: Introspection,
): { table: string; alias: string } | undefined {
  if (query.type !== 'rpc') return query.from ? { table: query.from, alias: query.from } : undefined;
  const called = functions.find(({ name }) => name === query.function);
  if (!called) return undefined;
  const table = tableOfType(called.return_type);
  // lite names the rows of a function that embeds tables after their table.
  const hasEmbeds = Object.keys(query.join ?? {}).length > 0;
  return { table, alias: hasEmbeds ? table : called.name };
}
