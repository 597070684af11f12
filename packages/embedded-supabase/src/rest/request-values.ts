import { isUtf8 } from 'node:buffer';
import type { Engine } from '../engine/engine.ts';
import { restError } from '../gateway/responses.ts';
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

/** Type of the single unnamed argument that takes a whole body, by the body's media type. As in PostgREST. */
const ARGUMENT_TYPES = new Map([
  ['text/plain', 'text'],
  ['text/xml', 'xml'],
  ['application/octet-stream', 'bytea'],
]);

/** The body of a function call that is not parsed: the whole body is one argument. */
export type RawBody = { type: string; bytes: Uint8Array };

/** Reads the body of a function call if its media type is one that is not parsed. */
export async function readRawBody(request: Request): Promise<RawBody | undefined> {
  if (request.method !== 'POST' || !new URL(request.url).pathname.startsWith('/rest/v1/rpc/'))
    return undefined;
  const [mediaType = ''] = (request.headers.get('content-type') ?? '').split(';');
  const type = ARGUMENT_TYPES.get(mediaType.trim().toLowerCase());
  return type === undefined ? undefined : { type, bytes: new Uint8Array(await request.arrayBuffer()) };
}

/**
 * Makes the body of a call its arguments.
 * @param raw the body, if it is not JSON
 * @returns the response to a body that does not fit
 */
export function prepareCall(
  query: Query,
  raw: RawBody | undefined,
  { functions = [] }: Introspection,
): Response | undefined {
  const candidates = functions.filter(
    ({ name, arg_types }) => name === query.function && arg_types.length === 1,
  );
  const takesWhole = (...types: string[]) =>
    candidates.some(({ arg_types, arg_names }) => !arg_names[0] && types.includes(arg_types[0] ?? ''));
  if (!raw) return prepareJson(query, takesWhole('json', 'jsonb'));

  const { type, bytes } = raw;
  const name = `${query.schema ?? 'public'}.${query.function}`;
  if (!takesWhole(type)) {
    const message = `Could not find the function ${name} in the schema cache`;
    const details = `Searched for the function ${name} with a single unnamed ${type} parameter, but no matches were found in the schema cache.`;
    return restError(404, 'PGRST202', message, null, details);
  }
  // lite finds the function of a call without names by the number of its arguments.
  if (candidates.length > 1) {
    const details = `A body of this type for ${name}, because several functions of this name have one argument.`;
    return restError(400, 'PGRST127', 'Feature not implemented', null, details);
  }
  if (type !== 'bytea' && !isUtf8(bytes)) {
    return restError(400, '22021', 'invalid byte sequence for encoding "UTF8"');
  }
  query.args = [type === 'bytea' ? bytes : new TextDecoder().decode(bytes)];
  Object.assign(query, { paramsType: 'positional', inputType: 'text' });
  return undefined;
}

/** Treats JSON that is no object as PostgREST does. @param isWhole the function takes the whole body */
function prepareJson(query: Query, isWhole: boolean): Response | undefined {
  query.args ??= {};
  if (!isRecord(query.args) && !Array.isArray(query.args)) query.args = [];
  if (!Array.isArray(query.args)) return undefined;
  const keys = query.args.map((row: unknown) => isRecord(row) && Object.keys(row).sort().join());
  if (keys.some((rowKeys) => rowKeys === false || rowKeys !== keys[0])) {
    return restError(400, 'PGRST102', 'All object keys must match');
  }
  if (!isWhole) Object.assign(query, { args: query.args[0] ?? {}, paramsType: 'named' });
  return undefined;
}
