/**
 * What a query may ask for. PGlite answers one query at a time and cannot be interrupted, so a costly one is
 * refused before it runs: there is no other end to it.
 */
export type Bound =
  /** Nobody we know, from outside: rows by plain columns. Readers read pages, not this. */
  | 'stranger'
  /** Somebody signed in: whatever PostgREST offers but regular expressions and tables within tables without end. */
  | 'member'
  /** The server itself. */
  | 'none';

/** lite's reading of a query, as far as bounds look at it: what is judged is what will run. */
export type Query = {
  type?: string;
  select?: (string | Record<string, Selected>)[];
  where?: Conditions;
  order?: { column: string; embed?: string }[];
  limit?: number;
  offset?: number;
  values?: object | object[];
  $meta?: { count?: string };
};
type Selected = Pick<Query, 'select' | 'where' | 'order' | 'limit' | 'offset'> & { column?: string };
type Conditions = Record<string, unknown>;

const STRANGER = {
  rows: 100,
  /** With one embed: 10 rows of 9 each, and themselves. */
  rowsWithEmbed: 10,
  embeddedRows: 9,
  offset: 10_000,
  conditions: 20,
  orders: 3,
};

/** Anybody may sign up. Each row of an embedded table is a look of its own, so there are some thousands at most. */
const MEMBER = { embeds: 4, rowsWithEmbed: 100, rowsWithin: [50, 5] };

const PLAIN_OPERATORS = new Set([
  '$eq',
  '$neq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$notIn',
  '$is',
  '$isNot',
]);
const LOGIC = new Set(['$and', '$or', '$not']);

/** A query that will not be run; lite and the gateway pass it on as they do our functions' refusals. */
class QueryRefused extends Error {
  override name = 'QueryRefused';
  readonly code = 'PT422';
  readonly detail: string;
  readonly hint: string;
  constructor(field: string, hint: string) {
    super('invalid');
    this.detail = JSON.stringify({ field });
    this.hint = hint;
  }
}

/** Checks a query against a bound, and cuts the rows it may answer. @throws QueryRefused */
export function boundQuery(query: Query, bound: Bound): void {
  if (bound === 'member') boundMember(query);
  if (bound === 'stranger') boundStranger(query);
}

function boundMember(query: Query): void {
  const embedded = embeds(query);
  for (const part of [query, ...embedded]) {
    if (conditions(part.where).some(({ operator }) => /regex/i.test(operator))) {
      throw new QueryRefused('where', 'Regular expressions are not offered. Use another filter.');
    }
  }
  if (embedded.length > MEMBER.embeds) {
    throw new QueryRefused('select', `Ask for at most ${MEMBER.embeds} embedded tables.`);
  }
  if (embedded.length > 0 && isReading(query)) cut(query, MEMBER.rowsWithEmbed);
  cutWithin(query, MEMBER.rowsWithin);
}

/** Cuts embedded tables by how deep they stand. @throws QueryRefused where they stand deeper */
function cutWithin(part: Selected, [rows, ...deeper]: number[]): void {
  for (const within of embedsOf(part)) {
    if (rows === undefined) throw new QueryRefused('select', 'Ask for less within each other.');
    cut(within, rows);
    cutWithin(within, deeper);
  }
}

function boundStranger(query: Query): void {
  const embedded = embeds(query);
  if (embedded.length > 1) throw new QueryRefused('select', 'Ask for at most one embedded table.');
  if (query.$meta?.count) {
    throw new QueryRefused('count', 'Counting is offered only to people who are signed in.');
  }
  if (Array.isArray(query.values) && query.values.length > STRANGER.rows) {
    throw new QueryRefused('values', `Send at most ${STRANGER.rows} rows at once.`);
  }
  for (const part of [query, ...embedded]) {
    plainColumns(part);
    plainConditions(part);
    plainOrder(part);
    if ((part.offset ?? 0) > STRANGER.offset) {
      throw new QueryRefused('offset', `Start at most ${STRANGER.offset} rows in. Filter instead.`);
    }
  }
  if (isReading(query)) cut(query, embedded.length > 0 ? STRANGER.rowsWithEmbed : STRANGER.rows);
  for (const part of embedded) cut(part, STRANGER.embeddedRows);
}

/** Of a write, lite answers the rows that were sent, and refuses a limit. */
const isReading = ({ type }: Query) => type === 'query' || type === 'rpc';

function cut(part: Selected, rows: number): void {
  part.limit = Math.min(part.limit ?? rows, rows);
}

/** The tables that are embedded in this one. */
function embedsOf(part: Pick<Query, 'select'>): Selected[] {
  return (part.select ?? [])
    .flatMap((entry) => (typeof entry === 'string' ? [] : Object.values(entry)))
    .filter((entry) => entry.select !== undefined);
}

/** Every embedded table of a query, however deep. */
const embeds = (part: Pick<Query, 'select'>): Selected[] =>
  embedsOf(part).flatMap((entry) => [entry, ...embeds(entry)]);

function plainColumns(part: Selected): void {
  for (const entry of part.select ?? []) {
    if (typeof entry === 'string') continue;
    for (const selected of Object.values(entry)) {
      const plain = selected.select !== undefined || Object.keys(selected).every((key) => key === 'column');
      if (!plain) throw new QueryRefused('select', 'Ask for whole columns, without casts or paths.');
    }
  }
}

function plainConditions(part: Selected): void {
  const all = conditions(part.where);
  if (all.length > STRANGER.conditions) {
    throw new QueryRefused('where', `Filter by at most ${STRANGER.conditions} conditions.`);
  }
  for (const { column, operator } of all) {
    if (!PLAIN_OPERATORS.has(operator) || isPath(column)) {
      throw new QueryRefused(column, 'Filter by comparing whole columns: eq, neq, gt, gte, lt, lte, in, is.');
    }
  }
}

function plainOrder(part: Selected): void {
  const order = part.order ?? [];
  if (order.length > STRANGER.orders || order.some(({ column, embed }) => embed || isPath(column))) {
    throw new QueryRefused('order', `Order by at most ${STRANGER.orders} whole columns.`);
  }
}

const isPath = (column: string) => column.includes('->');

/**
 * The single conditions of a filter, whatever and, or, not they stand in. A key that looks like lite's own was
 * typed by the caller when it holds no conditions, and counts as the operator that it is not.
 */
function conditions(where: Conditions | undefined): { column: string; operator: string }[] {
  return Object.entries(where ?? {}).flatMap(([key, value]) => {
    const holds = typeof value === 'object' && value !== null;
    if (!holds || (key.startsWith('$') && !LOGIC.has(key))) return [{ column: key, operator: key }];
    if (LOGIC.has(key)) return [value].flat().flatMap((part) => conditions(part as Conditions));
    return Object.keys(value).map((operator) => ({ column: key, operator }));
  });
}
