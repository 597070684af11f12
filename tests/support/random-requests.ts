import type {
  AccessList,
  Audience,
  EmbedAccess,
} from '../../packages/embedded-supabase/src/rest/access-list.ts';
import { type SeededRandom, seededRandom } from './random.ts';

export type RandomRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below `/rest/v1/`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** Names and values that exist in the database. */
export type Vocabulary = {
  list: AccessList;
  /** Columns of all tables and views, also those without read permission. */
  columns: Record<string, string[]>;
  /** Types of all columns: `uuid`, or any type that accepts text. */
  types: Record<string, string>;
  /** Arguments of all functions, with their types. */
  functions: Record<string, { name: string; type: string }[]>;
  ids: string[];
  texts: string[];
};

const OPERATORS =
  'eq neq gt gte lt lte like ilike match imatch is isdistinct in cs cd ov sl sr nxl nxr adj fts plfts phfts wfts'.split(
    ' ',
  );
const EQUAL = ['eq', 'neq', 'in', 'is', 'isdistinct'];
const RANGE = ['gt', 'gte', 'lt', 'lte'];
const ENUMS: Record<string, string[]> = {
  coverage_state: ['live', 'ended', 'withdrawn'],
  update_state: ['published', 'withdrawn', 'draft'],
  update_urgency: ['normal', 'urgent'],
  change_kind: ['publication', 'correction', 'withdrawal'],
};
const MODIFIED = ['eq', 'gt', 'like', 'ilike', 'match', 'imatch'];
const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max'];
const CASTS = ['text', 'jsonb', 'int', 'xml'];
const HEADERS: Record<string, string>[] = [
  { prefer: 'count=exact' },
  { prefer: 'count=planned' },
  { prefer: 'count=estimated' },
  { prefer: 'return=representation' },
  { prefer: 'handling=strict' },
  { prefer: 'timezone=UTC' },
  { accept: 'application/vnd.pgrst.object+json' },
  { accept: 'text/csv' },
  { accept: 'application/vnd.pgrst.plan+json' },
  { range: '0-999999' },
];

/**
 * Writes requests that cover PostgREST's grammar: tables, columns, aliases, casts, paths, aggregates, embeds, all
 * operators, modifiers, negations, trees, orders, ranges, counts, functions and writes.
 * @param audiences audiences of the access list whose tables and functions are requested
 * @param wild share of choices that ignore the access list
 */
export class RequestWriter {
  readonly #random: SeededRandom;
  readonly #words: Vocabulary;
  readonly #wild: number;
  readonly #tables: string[];
  readonly #functions: string[];

  constructor(seed: number, words: Vocabulary, audiences: Audience[], wild: number) {
    this.#random = seededRandom(seed);
    this.#words = words;
    this.#wild = wild;
    const offered = ([, { audience }]: [string, { audience: Audience }]) => audiences.includes(audience);
    this.#tables = [...words.list.tables].filter(offered).map(([name]) => name);
    this.#functions = [...words.list.functions].filter(offered).map(([name]) => name);
  }

  request(): RandomRequest {
    return this.#chance(0.3) ? this.#call() : this.#query();
  }

  #chance(share: number): boolean {
    return this.#random.chance(share);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return this.#random.pick(items);
  }

  #some<Item>(items: readonly Item[], most: number): Item[] {
    const count = Math.min(items.length, 1 + this.#random.below(most));
    return items.toSorted(() => this.#random.next() - 0.5).slice(0, count);
  }

  #isWild = () => this.#chance(this.#wild);

  #query(): RandomRequest {
    const table = this.#isWild() ? this.#pick(Object.keys(this.#words.columns)) : this.#pick(this.#tables);
    const parameters = new URLSearchParams();
    const embeds: string[] = [];
    parameters.set('select', this.#select(table, this.#words.list.tables.get(table)?.embeds, 0, embeds));
    this.#filters(parameters, table, '');
    for (const required of this.#some([...(this.#words.list.tables.get(table)?.requires ?? [])], 1)) {
      if (!this.#isWild())
        parameters.set(
          required,
          this.#pick([`eq.${this.#pick(this.#words.ids)}`, `in.(${this.#some(this.#words.ids, 60)})`]),
        );
    }
    for (const path of embeds) this.#filters(parameters, path.split('.').at(-1) as string, `${path}.`);
    const headers = this.#isWild() ? this.#pick(HEADERS) : {};
    const method = this.#isWild() ? this.#pick(['HEAD', 'POST', 'PATCH', 'DELETE'] as const) : 'GET';
    const body = method === 'POST' || method === 'PATCH' ? '{"id":null}' : undefined;
    return { method, path: `${table}?${parameters}`, headers, body };
  }

  #select(
    table: string,
    embeds: EmbedAccess | undefined,
    depth: number,
    paths: string[],
    above = '',
  ): string {
    const listed = [...(this.#words.list.tables.get(table)?.columns ?? ['id'])];
    const all = this.#words.columns[table] ?? ['id'];
    const columns = this.#some(this.#isWild() ? all : listed, this.#chance(0.3) ? 40 : 6);
    const parts = columns.map((column) => this.#column(column));
    if (this.#isWild()) parts.push(this.#pick(['*', ...columns, 'count()', `again:${columns[0]}`]));
    const isDeeper = this.#chance(depth === 0 ? 0.4 : 0.5) && depth < 3;
    if (isDeeper) {
      const offered = [...(embeds ?? [])];
      for (const _ of this.#some([1, 2], 2)) {
        const isWild = this.#isWild() || offered.length === 0;
        const name = isWild ? this.#pick(Object.keys(this.#words.columns)) : this.#pick(offered)[0];
        const entry = embeds?.get(name);
        if (!isWild && parts.some((part) => part.includes(`${name}(`) || part.includes(`${name}!`))) continue;
        if (!isWild || this.#chance(0.2)) {
          const hint = [...(entry?.hints ?? [])].find((one) => one !== 'inner');
          const join = (entry?.hints.has('inner') ? this.#chance(0.5) : this.#isWild()) ? '!inner' : '';
          const path = above + name;
          parts.push(
            `${this.#isWild() ? '...' : ''}${name}${hint ? `!${hint}` : ''}${join}(${this.#select(name, entry?.embeds, depth + 1, paths, `${path}.`)})`,
          );
          paths.push(path);
        }
      }
    }
    return parts.join(',');
  }

  #column(column: string): string {
    if (this.#chance(0.1)) return `alias_of_${column}:${column}`;
    if (!this.#isWild()) return column;
    return this.#pick([
      `${column}::${this.#pick(CASTS)}`,
      `x:${column}->0->>text`,
      `${column}.${this.#pick(AGGREGATES)}()`,
      `${column}.${this.#pick(AGGREGATES)}()::text`,
    ]);
  }

  #filters(parameters: URLSearchParams, table: string, prefix: string): void {
    const access = this.#words.list.tables.get(table);
    const all = this.#words.columns[table] ?? ['id'];
    const filtered = [...(access?.equal ?? [])];
    for (const column of this.#chance(0.7) ? this.#some(filtered, 3) : []) {
      const name = this.#isWild() ? this.#pick(all) : column;
      parameters.append(prefix + name, this.#condition(name, access?.range.has(name)));
    }
    if (this.#chance(0.2) && filtered.length > 0) {
      const tree = this.#tree(filtered, all, 0);
      parameters.append(`${prefix}${this.#pick(['or', 'and', 'not.or', 'not.and'])}`, `(${tree})`);
    }
    if (this.#chance(0.5)) {
      const columns = this.#some(this.#isWild() ? all : [...(access?.order ?? [])], 2);
      const order = columns.map(
        (column) => column + this.#pick(['', '.desc', '.asc.nullsfirst', '.desc.nullslast']),
      );
      if (order.length > 0) parameters.set(`${prefix}order`, order.join(','));
    }
    if (this.#chance(0.3))
      parameters.set(`${prefix}limit`, String(this.#pick([0, 1, 10, 100, 1_000, 1_000_000])));
    if (this.#chance(0.2))
      parameters.set(`${prefix}offset`, String(this.#pick([1, 50, 999, 1_000, 1_000_000])));
  }

  #tree(columns: string[], all: string[], depth: number): string {
    const conditions = Array.from(
      { length: 1 + Math.floor(this.#random.next() * (this.#isWild() ? 30 : 4)) },
      () => {
        if (depth < 3 && this.#chance(0.2)) {
          return `${this.#pick(['and', 'or', 'not.and', 'not.or'])}(${this.#tree(columns, all, depth + 1)})`;
        }
        const name = this.#isWild() ? this.#pick(all) : this.#pick(columns);
        return `${name}.${this.#condition(name, false)}`;
      },
    );
    return conditions.join(',');
  }

  #condition(column: string, isRange = false): string {
    const not = this.#chance(0.25) ? 'not.' : '';
    const operator = this.#pick(this.#isWild() ? OPERATORS : isRange ? [...EQUAL, ...RANGE] : EQUAL);
    const isFlag = this.#words.types[column] === 'boolean';
    if (operator === 'is')
      return `${not}is.${this.#pick(isFlag ? ['null', 'true', 'false', 'unknown'] : ['null'])}`;
    if (operator === 'in')
      return `${not}in.(${Array.from({ length: this.#pick([1, 3, 70]) }, () => this.#value(column))})`;
    if (MODIFIED.includes(operator) && this.#isWild()) {
      return `${not}${operator}(${this.#pick(['any', 'all'])}).{${this.#some(this.#words.texts, 3)}}`;
    }
    return `${not}${operator}.${this.#value(column)}`;
  }

  #value(column: string): string {
    const number = String(this.#random.below(20_000));
    if (this.#isWild()) return this.#pick([number, ...this.#words.texts, ...this.#words.ids]);
    const type = this.#words.types[column] ?? 'text';
    if (type === 'uuid') return this.#pick(this.#words.ids);
    if (type === 'boolean') return this.#pick(['true', 'false']);
    if (type.startsWith('timestamp'))
      return this.#pick(['2025-01-05T00:00:00Z', '2040-01-01T00:00:00Z', '-infinity']);
    if (/int/.test(type)) return number;
    return this.#pick(ENUMS[type] ?? this.#words.texts);
  }

  #call(): RandomRequest {
    const name = this.#isWild()
      ? this.#pick(Object.keys(this.#words.functions))
      : this.#pick(this.#functions);
    const args: Record<string, unknown> = {};
    for (const { name: argument, type } of this.#words.functions[name] ?? []) {
      if (!this.#chance(0.1)) args[argument] = this.#argument(type);
    }
    const parameters = new URLSearchParams();
    if (this.#isWild()) this.#filters(parameters, this.#pick(Object.keys(this.#words.columns)), '');
    const path = `rpc/${name}?${parameters}`;
    const headers = this.#isWild() ? this.#pick(HEADERS) : {};
    return { method: 'POST', path, headers, body: JSON.stringify(args) };
  }

  #argument(type: string): unknown {
    const text = this.#pick([...this.#words.texts, 'a'.repeat(200), '']);
    switch (type) {
      case 'uuid':
        return this.#pick(this.#words.ids);
      case 'integer':
      case 'bigint':
        return this.#pick([-1, 0, 1, 50, 1_000, 2_147_483_647]);
      case 'boolean':
        return this.#chance(0.5);
      case 'jsonb':
        return this.#pick<unknown>([
          {},
          { query: text },
          { query: 'river sandbags', page: 10 },
          { query: 'rivr sandbgs', sort: 'newest' },
          { query: this.#words.texts.join(' ').slice(0, 200) },
          { words: text },
        ]);
      case 'date':
        return '2025-01-01';
      case 'timestamp with time zone':
        return this.#pick(['2025-01-05T00:00:00Z', '2040-01-01T00:00:00Z', 'infinity']);
      case 'text[]':
        return this.#some(['draft', 'published', 'withdrawn', 'submitted'], 4);
      default:
        return type === 'text' ? text : this.#pick(['live', 'all', 'reader', 'on', 'spam', 'correction']);
    }
  }
}
