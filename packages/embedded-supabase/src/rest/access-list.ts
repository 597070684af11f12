import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { parse, TomlError } from 'smol-toml';
import { undefinedIfMissing } from '../data-folder.ts';
import { StartError } from '../start-error.ts';

/** The callers without the secret key that may use a table or a function. */
export type Audience = 'everyone' | 'signed_in' | 'none';

/** Tables that may be embedded in a table, by name. The hint `inner` lets an embedded table filter the rows. */
export type EmbedAccess = Map<string, { hints: Set<string>; embeds: EmbedAccess }>;

export type TableAccess = {
  audience: Audience;
  /** Columns that may be selected. A query may also select `*`; the database decides whether the role may. */
  columns: Set<string>;
  /** Columns that may be filtered by eq, neq, in, is and isdistinct. Includes those of `range`. */
  equal: Set<string>;
  /** Columns that may also be filtered by gt, gte, lt and lte. */
  range: Set<string>;
  order: Set<string>;
  embeds: EmbedAccess;
  /**
   * A query must filter by one of these columns with `eq` or `in`, because the view reads whole tables otherwise. Empty
   * if no filter is required.
   */
  requires: Set<string>;
  /** Maximum number of rows in one response, if it is lower than the limit of the caller's class. */
  rows: number;
};

type FunctionAccess = {
  audience: Audience;
  /** Requests that one call counts as in the caller's rate limit. */
  cost: number;
};

/** Tables and functions that callers without the secret key may use. Everything else is refused. */
export type AccessList = { tables: Map<string, TableAccess>; functions: Map<string, FunctionAccess> };

const FILE = 'rest-access.toml';

/** Requests that a call of each cost class counts as. A function of the class `export` returns all data of its kind. */
export const FUNCTION_COSTS = { light: 1, heavy: 5, export: 60 } as const;

/**
 * Reads the access list of a project: the file beside its folder of migrations.
 * @returns undefined for a project without the file. Its REST interface has general limits only
 * @throws StartError naming the key that is missing, unknown or wrong
 */
export async function readAccessList(migrations: string): Promise<AccessList | undefined> {
  const file = join(dirname(migrations), FILE);
  const text = await undefinedIfMissing(readFile(file, 'utf8')).catch(() => {
    throw new StartError(`${file} cannot be read.`);
  });
  return text === undefined ? undefined : parseAccessList(text, file);
}

/**
 * Checks that the database has every table, column and function of an access list.
 * @throws StartError naming those that are missing
 */
export async function verifyAccessList(
  { tables, functions }: AccessList,
  db: Kysely<unknown>,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname || '.' || a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') and a.attnum > 0
    union select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')
    union select proname || '()' from pg_proc where pronamespace = 'public'::regnamespace`.execute(db);
  const existing = new Set(rows.map(({ name }) => name));
  const listed = [
    ...[...tables].flatMap(([name, { columns }]) => [
      name,
      ...[...columns].map((column) => `${name}.${column}`),
    ]),
    ...[...functions.keys()].map((name) => `${name}()`),
  ];
  const missing = listed.filter((name) => !existing.has(name));
  if (missing.length > 0) throw new StartError(`${FILE}: the database has no ${missing.join(', ')}.`);
}

/** @throws StartError */
export function parseAccessList(text: string, file = FILE): AccessList {
  const fail = (key: string, problem: string): never => {
    throw new StartError(`${file}: ${key} ${problem}.`);
  };
  const document = parseToml(text, file);

  function asTable(value: unknown, key: string, allowedKeys: readonly string[]): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return fail(key || 'The file', 'must be a table');
    }
    for (const name of Object.keys(value)) {
      if (allowedKeys.length > 0 && !allowedKeys.includes(name))
        fail(key ? `${key}.${name}` : name, 'is not known');
    }
    return value as Record<string, unknown>;
  }
  function readNames(value: unknown, key: string, pattern = NAME): Set<string> {
    if (value === undefined) return new Set();
    if (!Array.isArray(value)) return fail(key, 'must be a list of names');
    for (const name of value) {
      if (typeof name !== 'string' || !pattern.test(name)) fail(key, 'must be a list of names');
    }
    const unique = new Set(value as string[]);
    if (unique.size < value.length) fail(key, 'names something twice');
    return unique;
  }
  function checkSubset(inner: Set<string>, outer: Set<string>, key: string): void {
    for (const name of inner) if (!outer.has(name)) fail(key, `names ${name}, which is not in columns`);
  }

  function readTable(value: unknown, key: string): TableAccess {
    const entry = asTable(value, key, TABLE_KEYS);
    const audience = entry.audience;
    if (audience !== 'everyone' && audience !== 'signed_in') {
      return fail(`${key}.audience`, 'must be "everyone" or "signed_in"');
    }
    const columns = readNames(entry.columns, `${key}.columns`);
    if (columns.size === 0) fail(`${key}.columns`, 'must name a column');
    const range = readNames(entry.range, `${key}.range`);
    const equal = readNames(entry.equal, `${key}.equal`);
    for (const name of range) if (equal.has(name)) fail(`${key}.equal`, `names ${name}, which is in range`);
    const order = readNames(entry.order, `${key}.order`);
    const requires = readNames(entry.requires, `${key}.requires`);
    for (const [part, set] of Object.entries({ equal, range, order, requires })) {
      checkSubset(set, columns, `${key}.${part}`);
    }
    const filterable = new Set([...equal, ...range]);
    for (const name of requires)
      if (!filterable.has(name)) fail(`${key}.requires`, `needs a filter by ${name}`);
    const embeds = embedsOf(readNames(entry.embeds, `${key}.embeds`, EMBED_PATH));
    const rows = entry.rows ?? Number.POSITIVE_INFINITY;
    if (typeof rows !== 'number' || !(rows >= 1) || (entry.rows !== undefined && !Number.isInteger(rows)))
      return fail(`${key}.rows`, 'must be a number of rows');
    return { audience, columns, equal: filterable, range, order, embeds, requires, rows };
  }

  const {
    tables = {},
    functions = {},
    server = {},
  } = asTable(document, '', ['tables', 'functions', 'server']);
  const list: AccessList = { tables: new Map(), functions: new Map() };
  for (const [name, value] of Object.entries(asTable(tables, 'tables', []))) {
    list.tables.set(name, readTable(value, `tables.${name}`));
  }
  const addFunctions = (value: unknown, key: string, access: FunctionAccess) => {
    for (const name of readNames(value, key)) {
      if (list.functions.has(name)) fail(key, `names ${name}, which is listed already`);
      list.functions.set(name, access);
    }
  };
  const audiences = asTable(functions, 'functions', ['everyone', 'signed_in']);
  for (const [audience, value] of Object.entries(audiences) as [Audience, unknown][]) {
    const key = `functions.${audience}`;
    const costs = asTable(value, key, Object.keys(FUNCTION_COSTS));
    for (const [name, cost] of Object.entries(FUNCTION_COSTS)) {
      addFunctions(costs[name], `${key}.${name}`, { audience, cost });
    }
  }
  const serverAccess = asTable(server, 'server', ['tables', 'functions']);
  for (const name of readNames(serverAccess.tables, 'server.tables')) {
    if (list.tables.has(name)) fail('server.tables', `names ${name}, which is listed already`);
    list.tables.set(name, SERVER_TABLE);
  }
  addFunctions(serverAccess.functions, 'server.functions', { audience: 'none', cost: 1 });
  for (const [name, { embeds }] of list.tables) checkEmbeds(embeds, name);
  return list;

  function checkEmbeds(embeds: EmbedAccess, tableName: string): void {
    for (const [name, inner] of embeds) {
      const target = list.tables.get(name);
      if (!target || target.audience === 'none')
        fail(`tables.${tableName}.embeds`, `names ${name}, which is not listed`);
      checkEmbeds(inner.embeds, tableName);
    }
  }
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
/** `table` or `table!hint`, or a path of them such as `update_photos.photos`. */
const EMBED_PATH =
  /^[a-z_][a-z0-9_]{0,62}(?:![a-z_][a-z0-9_]{0,62})?(?:\.[a-z_][a-z0-9_]{0,62}(?:![a-z_][a-z0-9_]{0,62})?){0,4}$/;
const TABLE_KEYS = ['audience', 'columns', 'equal', 'range', 'order', 'embeds', 'requires', 'rows'] as const;

const SERVER_TABLE: TableAccess = {
  audience: 'none',
  columns: new Set(),
  equal: new Set(),
  range: new Set(),
  order: new Set(),
  embeds: new Map(),
  requires: new Set(),
  rows: 0,
};

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw new StartError(`${file}: line ${error.line} is not TOML.`);
    throw error;
  }
}

function embedsOf(paths: Set<string>): EmbedAccess {
  const root: EmbedAccess = new Map();
  for (const path of paths) {
    let level = root;
    for (const step of path.split('.')) {
      const [name = '', hint] = step.split('!');
      const entry = level.get(name) ?? { hints: new Set<string>(), embeds: new Map() };
      if (hint) entry.hints.add(hint);
      level.set(name, entry);
      level = entry.embeds;
    }
  }
  return root;
}
