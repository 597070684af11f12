import { DatabaseFault } from '../engine/errors.ts';
import type { DatabaseRole } from '../tokens.ts';
import type { AccessList, Audience, EmbedAccess, TableAccess } from './access-list.ts';
import { type CallerClass, QUERY_LIMITS, type QueryLimits } from './query-limits.ts';

/*
 * Checks queries after lite has parsed them. lite makes the SQL from the same structure, so no spelling of a query can
 * pass here and mean something else in SQL. Keys, operators and structures that this file does not know are refused.
 */

/** The parts of lite's parsed query that this package reads. */
export type Query = {
  type?: string;
  from?: string;
  function?: string;
  schema?: string;
  args?: unknown;
  /** Method of the request that calls a function. */
  httpMethod?: string;
  values?: unknown;
  $meta?: Record<string, unknown>;
} & Level;

/** The part of a query for one table: the queried table or an embedded one. */
type Level = {
  select?: unknown;
  join?: unknown;
  where?: unknown;
  order?: unknown;
  limit?: number;
  offset?: number;
};

type QueryCaller = { callerClass: CallerClass; role: DatabaseRole };

/** Refusal of a query. lite and the gateway return it like the refusals of database functions. */
export class QueryRefusedError extends Error {
  override name = 'QueryRefusedError';
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
  constructor(details: Record<string, string | number>, hint: string, code: 'PT422' | 'PT413' = 'PT422') {
    super(code === 'PT413' ? 'too_large' : 'invalid');
    this.code = code;
    this.detail = JSON.stringify(details);
    this.hint = hint;
  }
}

/**
 * Checks a query against the access list and the limits of its caller. Lowers its row limits to the allowed numbers.
 * @param list undefined for a project without an access list. Its tables are open, with general limits
 * @returns a refusal to throw after the database has checked the session, so that an ended session gets its own error
 * @throws QueryRefusedError
 */
export function checkQuery(
  query: Query,
  caller: QueryCaller,
  list: AccessList | undefined,
): Error | undefined {
  if (caller.callerClass === 'server' || (caller.callerClass === 'website' && !list)) return undefined;
  const check = new QueryCheck(caller, QUERY_LIMITS[caller.callerClass], list);
  return query.type === 'rpc' ? check.call(query) : check.table(query);
}

const EQUALITY_OPERATORS = ['$eq', '$neq', '$in', '$notIn', '$is', '$isNot', '$isDistinct'];
const RANGE_OPERATORS = ['$gt', '$gte', '$lt', '$lte'];
/**
 * Operators that are offered only without an access list, because the database may have indexes for them. A few of them
 * already take long, so their number is limited.
 */
const SLOW_OPERATORS = ['$like', '$ilike', '$textSearch', '$contains', '$containedBy', '$overlaps'];
const MAX_SLOW_CONDITIONS = 3;

/** PostgREST's names of lite's operators, for refusals. */
const OPERATOR_NAMES: Record<string, string> = {
  $notIn: 'not.in',
  $isNot: 'not.is',
  $regex: 'match',
  $iregex: 'imatch',
  $textSearch: 'fts',
  $contains: 'cs',
  $containedBy: 'cd',
  $overlaps: 'ov',
};
const nameOf = (operator: string) =>
  OPERATOR_NAMES[operator] ?? operator.replace(/^\$/, '').toLowerCase().slice(0, 40);

const QUERY_KEYS = ['type', 'from', 'schema', '$meta', 'select', 'join', 'where', 'order', 'limit', 'offset'];
const CALL_KEYS = [...QUERY_KEYS, 'function', 'args', 'httpMethod', 'paramsType', 'inputType'];
const WRITE_KEYS = [...QUERY_KEYS, 'values', 'onConflict', 'ignoreDuplicates'];
/**
 * The preferences that `Prefer`, `Accept` and the method may set. A caller may not ask for counts or plans, or choose a
 * time zone or how the transaction ends.
 */
const META_KEYS = ['cardinality', 'head', 'stripNulls', 'return', 'handling', 'missing'];
const WRITE_META_KEYS = [...META_KEYS, 'columns'];
const EMBED_KEYS = ['select', 'join', 'where', 'order', 'limit', 'offset'];
const JOIN_KEYS = ['from', 'type', 'hint'];
const ORDER_KEYS = ['column', 'direction', 'nullsFirst'];
/** Maximum length of a name in PostgreSQL. */
const NAME_LENGTH = 63;

/** The part of the access list that one level is checked against. */
type LevelAccess = { access: TableAccess | undefined; embeds: EmbedAccess | undefined };

class QueryCheck {
  readonly #caller: QueryCaller;
  readonly #limits: QueryLimits;
  readonly #list: AccessList | undefined;
  #conditions = 0;
  #listItems = 0;
  #slowConditions = 0;
  #embeds = 0;
  #embedDenial: Error | undefined;

  constructor(caller: QueryCaller, limits: QueryLimits, list: AccessList | undefined) {
    this.#caller = caller;
    this.#limits = limits;
    this.#list = list;
  }

  call(query: Query): Error | undefined {
    this.#checkKeys(query, CALL_KEYS);
    this.#checkMeta(query, META_KEYS);
    const name = String(query.function);
    const access = this.#list?.functions.get(name);
    if (this.#list && !access) {
      // Returned, not thrown: lite responds first if the function does not exist.
      return new QueryRefusedError(
        { function: name.slice(0, NAME_LENGTH) },
        'This function is not offered here.',
      );
    }
    const denial = access && this.#denial(access.audience, `function ${name}`);
    if (denial) return denial;
    const bytes = Buffer.byteLength(JSON.stringify(query.args ?? null));
    if (bytes > this.#limits.argumentBytes) {
      const maxBytes = this.#limits.argumentBytes;
      throw new QueryRefusedError({ field: 'arguments' }, `Send at most ${maxBytes} bytes of arguments.`);
    }
    if (this.#list) {
      for (const part of ['select', 'join', 'where', 'order'] as const) {
        if (query[part] !== undefined) {
          throw new QueryRefusedError({ field: part }, 'Ask for the whole result of a function.');
        }
      }
    }
    this.#checkLevel(query, { access: undefined, embeds: undefined }, 0);
    limitRows(query, this.#embeds > 0 ? this.#limits.rowsWithEmbeds : this.#limits.rows);
    return this.#embedDenial;
  }

  table(query: Query): Error | undefined {
    const name = String(query.from);
    const access = this.#list?.tables.get(name);
    if (this.#list && !access) {
      throw new QueryRefusedError({ table: name.slice(0, NAME_LENGTH) }, 'This table is not offered here.');
    }
    const isReading = query.type === 'query';
    // Clients write through functions only, never to the tables of an access list.
    const denial = access && this.#denial(isReading ? access.audience : 'none', `table ${name}`);
    if (denial) return denial;
    this.#checkKeys(query, isReading ? QUERY_KEYS : WRITE_KEYS);
    this.#checkMeta(query, isReading ? META_KEYS : WRITE_META_KEYS);
    if (Array.isArray(query.values) && query.values.length > this.#limits.rows) {
      throw new QueryRefusedError({ field: 'values' }, `Send at most ${this.#limits.rows} rows at once.`);
    }
    if (access && access.requires.size > 0 && !comparesOneOf(query.where, access.requires)) {
      const columns = [...access.requires].join(' or ');
      throw new QueryRefusedError({ table: name }, `Filter by ${columns}, with eq or in.`);
    }
    this.#checkLevel(query, { access, embeds: access?.embeds }, 0);
    const rows = this.#embeds > 0 ? this.#limits.rowsWithEmbeds : this.#limits.rows;
    if (isReading) limitRows(query, Math.min(rows, access?.rows ?? rows));
    return this.#embedDenial;
  }

  /** Returns the database's own error if the caller's role may not use a table or function. */
  #denial(audience: Audience, target: string): Error | undefined {
    const isAllowed = audience === 'everyone' || (audience === 'signed_in' && this.#caller.role !== 'anon');
    if (isAllowed) return undefined;
    return new DatabaseFault({ code: '42501', message: `permission denied for ${target}` });
  }

  #checkKeys(part: object, allowedKeys: readonly string[]): void {
    for (const [key, value] of Object.entries(part)) {
      if (value !== undefined && !allowedKeys.includes(key)) {
        throw new QueryRefusedError({ field: key.slice(0, NAME_LENGTH) }, 'This is not offered here.');
      }
    }
  }

  #checkMeta({ $meta = {}, schema }: Query, allowedKeys: readonly string[]): void {
    if (schema !== undefined && schema !== 'public') {
      throw new QueryRefusedError({ schema }, 'Only the schema public is offered here.');
    }
    for (const [key, value] of Object.entries($meta)) {
      if (value === undefined || allowedKeys.includes(key)) continue;
      const hint = key === 'count' ? 'Ask without a count.' : 'This preference is not offered here.';
      throw new QueryRefusedError({ field: key.slice(0, NAME_LENGTH) }, hint);
    }
  }

  #checkLevel(level: Level, levelAccess: LevelAccess, depth: number): void {
    this.#checkSelect(level, levelAccess, depth);
    this.#checkWhere(level.where, levelAccess.access);
    this.#checkOrder(level.order, levelAccess.access);
    if ((level.offset ?? 0) > this.#limits.offset) {
      throw new QueryRefusedError(
        { field: 'offset' },
        `Skip at most ${this.#limits.offset} rows. Filter instead.`,
      );
    }
  }

  #checkSelect({ select = [], join = {} }: Level, levelAccess: LevelAccess, depth: number): void {
    if (!Array.isArray(select) || !isObject(join)) throw unknownShape('select');
    const columns = new Set<string>();
    const tables = new Set<string>();
    for (const entry of select as unknown[]) {
      const [alias, selected] = isObject(entry) ? singleEntry(entry, 'select') : [String(entry), undefined];
      if (alias.length > NAME_LENGTH)
        throw new QueryRefusedError({ field: 'select' }, 'Choose shorter names.');
      if (isObject(selected) && Array.isArray(selected.select)) {
        this.#checkEmbed(alias, selected, join[alias], levelAccess, depth, tables);
      } else {
        this.#checkColumn(alias, selected, levelAccess.access, columns);
      }
    }
    if (columns.has('*') && columns.size > 1) {
      throw new QueryRefusedError({ field: '*' }, 'Ask for each column once.');
    }
    // Rejects a join that belongs to no embedded table.
    for (const alias of Object.keys(join)) {
      const isSelected = (select as unknown[]).some(
        (entry) => isObject(entry) && Object.hasOwn(entry, alias),
      );
      if (!isSelected) throw unknownShape('select');
    }
  }

  #checkColumn(alias: string, selected: unknown, access: TableAccess | undefined, seen: Set<string>): void {
    if (selected !== undefined) {
      if (!isObject(selected)) throw unknownShape('select');
      for (const key of Object.keys(selected)) {
        if (key !== 'column') {
          throw new QueryRefusedError(
            { field: alias },
            'Ask for whole columns, without casts, paths or aggregates.',
          );
        }
      }
    }
    const column = (isObject(selected) ? selected.column : undefined) ?? alias;
    if (typeof column !== 'string' || isPath(column)) throw unknownShape('select');
    if (seen.has(column)) throw new QueryRefusedError({ field: column }, 'Ask for each column once.');
    seen.add(column);
    if (access && column !== '*' && !access.columns.has(column)) throw refusedColumn(column, 'selected');
  }

  #checkEmbed(
    alias: string,
    selected: Record<string, unknown>,
    join: unknown,
    { embeds }: LevelAccess,
    depth: number,
    seen: Set<string>,
  ): void {
    this.#checkKeys(selected, EMBED_KEYS);
    if (join !== undefined && !isObject(join)) throw unknownShape('select');
    if (join) this.#checkKeys(join, JOIN_KEYS);
    const { from = alias, hint, type } = (join ?? {}) as { from?: unknown; hint?: unknown; type?: unknown };
    if (typeof from !== 'string') throw unknownShape('select');
    const embedAccess = embeds?.get(from);
    if (this.#list && !embedAccess)
      throw new QueryRefusedError({ field: from }, 'This table is not offered inside that one.');
    if (embedAccess && hint !== undefined && !(typeof hint === 'string' && embedAccess.hints.has(hint))) {
      throw new QueryRefusedError({ field: String(hint) }, 'This relation is not offered here.');
    }
    if (embedAccess && type === 'inner' && !embedAccess.hints.has('inner')) {
      throw new QueryRefusedError({ field: `${from}!inner` }, 'Embed the table without inner.');
    }
    if (seen.has(from)) throw new QueryRefusedError({ field: from }, 'Ask for each table once.');
    seen.add(from);
    this.#embeds += 1;
    const rows = this.#limits.embeddedRows[depth];
    if (this.#embeds > this.#limits.embeds || rows === undefined) {
      throw new QueryRefusedError({ field: from }, `Ask for at most ${this.#limits.embeds} embedded tables.`);
    }
    const access = this.#list?.tables.get(from);
    this.#embedDenial ??= access && this.#denial(access.audience, `table ${from}`);
    this.#checkLevel(selected as Level, { access, embeds: embedAccess?.embeds }, depth + 1);
    limitRows(selected as Level, rows);
  }

  #checkWhere(where: unknown, access: TableAccess | undefined): void {
    if (where === undefined) return;
    if (!isObject(where)) throw unknownShape('filter');
    for (const [key, value] of Object.entries(where)) {
      if (key === '$and' || key === '$or') {
        if (!Array.isArray(value)) throw unknownShape('filter');
        for (const part of value) this.#checkWhere(part, access);
      } else if (key === '$not') {
        this.#checkWhere(value, access);
      } else this.#checkComparisons(key, value, access, '');
    }
  }

  #checkComparisons(
    column: string,
    comparisons: unknown,
    access: TableAccess | undefined,
    negation: string,
  ): void {
    if (!isObject(comparisons) || column.startsWith('$') || isPath(column))
      throw refusedColumn(column, 'filtered by');
    for (const [operator, value] of Object.entries(comparisons)) {
      if (operator === '$not') this.#checkComparisons(column, value, access, 'not.');
      else this.#checkComparison(column, operator, value, access, negation);
    }
  }

  #checkComparison(
    column: string,
    operator: string,
    value: unknown,
    access: TableAccess | undefined,
    negation: string,
  ): void {
    this.#conditions += 1;
    if (this.#conditions > this.#limits.conditions) {
      throw new QueryRefusedError(
        { field: 'filter' },
        `Filter by at most ${this.#limits.conditions} conditions.`,
      );
    }
    if (access && !access.columns.has(column)) throw refusedColumn(column, 'filtered by');
    const isOffered = this.#allowedOperators(column, access).includes(operator);
    if (!isOffered || (SLOW_OPERATORS.includes(operator) && ++this.#slowConditions > MAX_SLOW_CONDITIONS)) {
      const hint = this.#operatorHint(column, access);
      throw new QueryRefusedError({ field: column, operator: negation + nameOf(operator) }, hint);
    }
    this.#checkValue(column, value);
  }

  #allowedOperators(column: string, access: TableAccess | undefined): string[] {
    if (access) {
      if (!access.equal.has(column)) return [];
      return access.range.has(column) ? [...EQUALITY_OPERATORS, ...RANGE_OPERATORS] : EQUALITY_OPERATORS;
    }
    return this.#caller.callerClass === 'visitor'
      ? [...EQUALITY_OPERATORS, ...RANGE_OPERATORS]
      : [...EQUALITY_OPERATORS, ...RANGE_OPERATORS, ...SLOW_OPERATORS];
  }

  #operatorHint(column: string, access: TableAccess | undefined): string {
    if (access && !access.equal.has(column)) return 'This column cannot be used as a filter.';
    const range = !access || access.range.has(column) ? ', gt, gte, lt, lte' : '';
    return `Use one of: eq, neq, in, is, isdistinct${range}.`;
  }

  #checkValue(column: string, value: unknown): void {
    if (Array.isArray(value)) {
      this.#listItems += value.length;
      if (this.#listItems > this.#limits.listItems) {
        throw new QueryRefusedError({ field: column }, `List at most ${this.#limits.listItems} values.`);
      }
      for (const item of value) {
        if (isObject(item) || Array.isArray(item)) throw unknownShape(column);
        this.#checkValue(column, item);
      }
      return;
    }
    const length = isObject(value) ? JSON.stringify(value).length : String(value).length;
    if (length > this.#limits.valueLength) {
      throw new QueryRefusedError(
        { field: column },
        `Compare with at most ${this.#limits.valueLength} characters.`,
      );
    }
    // Only a project without an access list offers full-text and range operators, whose values may be objects.
    if (isObject(value) && this.#list) throw unknownShape(column);
  }

  #checkOrder(order: unknown, access: TableAccess | undefined): void {
    if (order === undefined) return;
    if (!Array.isArray(order)) throw unknownShape('order');
    if (order.length > this.#limits.orders) {
      throw new QueryRefusedError({ field: 'order' }, `Order by at most ${this.#limits.orders} columns.`);
    }
    const seen = new Set<string>();
    for (const entry of order as unknown[]) {
      if (!isObject(entry) || typeof entry.column !== 'string') throw unknownShape('order');
      this.#checkKeys(entry, ORDER_KEYS);
      const { column } = entry;
      if (isPath(column) || seen.has(column) || (access && !access.order.has(column))) {
        throw refusedColumn(column, 'ordered by');
      }
      seen.add(column);
    }
  }
}

/** Returns whether the top level of a filter compares one of these columns by `eq` or `in`. */
function comparesOneOf(where: unknown, columns: Set<string>): boolean {
  if (!isObject(where)) return false;
  return Object.entries(where).some(
    ([key, value]) => columns.has(key) && isObject(value) && ('$eq' in value || '$in' in value),
  );
}

function limitRows(level: Level, maxRows: number): void {
  level.limit = Math.min(level.limit ?? maxRows, maxRows);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPath = (column: string) => column.includes('->');

function singleEntry(entry: Record<string, unknown>, field: string): [string, unknown] {
  const [first, ...more] = Object.entries(entry);
  if (!first || more.length > 0) throw unknownShape(field);
  return first;
}

const unknownShape = (field: string) =>
  new QueryRefusedError({ field }, 'This form of query is not offered here.');

const refusedColumn = (column: string, usage: string) =>
  new QueryRefusedError({ field: column.slice(0, NAME_LENGTH) }, `This column cannot be ${usage}.`);
