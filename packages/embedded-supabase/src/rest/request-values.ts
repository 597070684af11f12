import type { Engine } from '../engine/engine.ts';
import type { Query } from './query-check.ts';

export type Introspection = Awaited<ReturnType<Engine['connection']['introspect']>>;

/** Types by name, in the order of their declaration. */
type Fields = Map<string, string>;

/** Types of columns by schema and table, and of the arguments of each function's overloads. */
type Types = { tables: Map<string, Fields>; functions: Map<string, Fields[]> };

const typesCache = new WeakMap<Introspection, Types>();

function typesOf(introspection: Introspection): Types {
  const cached = typesCache.get(introspection);
  if (cached) return cached;
  const types: Types = { tables: new Map(), functions: new Map() };
  for (const { schema, table, name, type } of introspection.columns.toSorted(
    (a, b) => a.ordinal_position - b.ordinal_position,
  )) {
    const key = `${schema}.${table}`;
    types.tables.set(key, (types.tables.get(key) ?? new Map<string, string>()).set(name, type));
  }
  for (const { schema, name, arg_names, arg_types } of introspection.functions ?? []) {
    const key = `${schema}.${name}`;
    const fields = new Map(arg_names.map((argument, n) => [argument, arg_types[n] ?? '']));
    types.functions.set(key, [...(types.functions.get(key) ?? []), fields]);
  }
  typesCache.set(introspection, types);
  return types;
}

/**
 * Converts the values of a request's body, so that lite and its drivers pass them on as PostgREST would:
 * - Strings for JSON stay strings.
 * - Keys that some rows of an insert lack become null, or the column's default on request.
 * - Objects for arguments of a table's type become rows of that table.
 */
export function prepareValues(query: Query, introspection: Introspection): void {
  const { tables, functions } = typesOf(introspection);
  const schema = query.schema ?? 'public';
  if (query.type !== 'rpc') {
    if (query.type === 'insert' || query.type === 'upsert') addMissingKeys(query);
    const columns = tables.get(`${schema}.${query.from}`);
    if (columns) for (const row of rowsOf(query.values)) encodeColumns(row, columns);
    return;
  }
  // Without POST, the arguments are text from the URL, which PostgreSQL parses.
  if (query.httpMethod !== 'POST') return;
  const [first] = rowsOf(query.args);
  const argumentNames = Object.keys(first ?? {});
  const overload = functions
    .get(`${schema}.${query.function}`)
    ?.find((fields) => argumentNames.every((name) => fields.has(name)));
  if (overload) for (const row of rowsOf(query.args)) encodeArguments(row, overload, tables);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const rowsOf = (values: unknown) => [values].flat().filter(isRecord);

const isJson = (type: string) => type === 'json' || type === 'jsonb';

/**
 * Encodes strings for JSON columns twice, because lite decodes such a string once and its drivers treat the result as
 * encoded JSON.
 */
function encodeColumns(row: Record<string, unknown>, columns: Fields): void {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'string' && isJson(columns.get(name) ?? '')) {
      row[name] = JSON.stringify(JSON.stringify(value));
    }
  }
}

function encodeArguments(row: Record<string, unknown>, fields: Fields, tables: Types['tables']): void {
  for (const [name, value] of Object.entries(row)) {
    const type = fields.get(name) ?? '';
    if (typeof value === 'string' && isJson(type)) row[name] = JSON.stringify(value);
    const columns = isRecord(value) && tables.get(type.includes('.') ? type : `public.${type}`);
    if (columns) row[name] = rowLiteral(value, columns);
  }
}

/** Adds to each row the keys that only other rows have. Undefined stands for the default of the column. */
function addMissingKeys({ values, $meta }: Query): void {
  const missingValue = $meta?.missing === 'default' ? undefined : null;
  for (const row of rowsOf(values)) {
    for (const name of ($meta?.columns as string[] | undefined) ?? []) {
      if (!(name in row)) row[name] = missingValue;
    }
  }
}

const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Formats a row as PostgreSQL does: `("a","b",)`. */
const rowLiteral = (row: Record<string, unknown>, columns: Fields): string =>
  `(${[...columns]
    .map(([name, type]) => {
      const value = row[name] ?? null;
      if (value === null) return '';
      if (Array.isArray(value) && !isJson(type)) return quote(arrayLiteral(value));
      return quote(typeof value === 'object' || isJson(type) ? JSON.stringify(value) : String(value));
    })
    .join()})`;

const arrayLiteral = (values: unknown[]): string =>
  `{${values
    .map((value) => {
      if (Array.isArray(value)) return arrayLiteral(value);
      return value === null
        ? 'null'
        : quote(typeof value === 'object' ? JSON.stringify(value) : String(value));
    })
    .join()}}`;

/**
 * Returns the part of an introspection for one schema. lite looks up tables by name without the schema, so a table of
 * the same name in another schema would add its columns and relations.
 */
export function filterSchema(introspection: Introspection, schema: string): Introspection {
  const inSchema = <Entry extends { schema: string }>(entries: Entry[]) =>
    entries.filter((entry) => entry.schema === schema);
  return {
    ...introspection,
    tables: inSchema(introspection.tables),
    columns: inSchema(introspection.columns),
    indexes: inSchema(introspection.indexes),
    foreign_keys: inSchema(introspection.foreign_keys).filter(
      ({ ref_schema }) => (ref_schema ?? schema) === schema,
    ),
    primary_keys: inSchema(introspection.primary_keys),
    views: inSchema(introspection.views),
    check_constraints: inSchema(introspection.check_constraints),
    unique_constraints: inSchema(introspection.unique_constraints),
    comments: inSchema(introspection.comments),
    triggers: inSchema(introspection.triggers),
    functions: inSchema(introspection.functions ?? []),
  };
}
