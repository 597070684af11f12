import {
  type ExecProtocolOptions,
  type messages,
  type PGlite,
  parse,
  protocol,
  type Transaction,
} from '@electric-sql/pglite';
import { LRUCache } from 'lru-cache';
import { log } from '../log/log.ts';
import { isOutdated, resultTooLarge, withoutValues } from './errors.ts';
import {
  type DatabaseSession,
  MAX_PREPARED,
  mayBePrepared,
  type QueryResult,
  queryRows,
  type Sessions,
} from './session.ts';

const { serialize } = protocol;

type Message = messages.BackendMessage;
type Warn = (message: string) => void;
type OnNotice = NonNullable<ExecProtocolOptions['onNotice']>;

/** A server writes warnings to a log of its own. */
const logWarning: Warn = (message) => log.warn(`The database warns: ${message}`);

/** The session of a PGlite in this thread. One caller uses it at a time. */
export function pgliteSessions(pg: PGlite): Sessions {
  const statements = new StatementRunner(pg, logWarning);
  return {
    ...pgliteSession(pg, statements),
    maxSessions: 1,
    transaction: (work) => pg.transaction((transaction) => work(pgliteSession(pg, statements, transaction))),
  };
}

/** @param within the transaction that PGlite has open, if any */
export function pgliteSession(
  pg: PGlite,
  statements: StatementRunner,
  within: PGlite | Transaction = pg,
): DatabaseSession {
  const { onNotice } = statements;
  return {
    query: (statement, parameters = [], { maxBytes } = {}) =>
      statements.run(statement, parameters, { maxBytes }),
    async exec(script) {
      try {
        await within.exec(script, { onNotice });
      } catch (error) {
        throw withoutValues(error);
      }
    },
    async *copyOut(query) {
      const { blob } = await within.query(`copy (${query}) to '/dev/blob'`);
      if (blob) yield new Uint8Array(await blob.arrayBuffer());
    },
    async copyIn(target, pieces) {
      for await (const rows of queryRows(pieces)) {
        try {
          await within.query(`copy ${target} from '/dev/blob'`, [], { blob: new Blob([rows]) });
        } catch (error) {
          throw withoutValues(withCode(error));
        }
      }
    },
  };
}

/** PGlite checks the values of some types before PostgreSQL sees them, in an error of its own without a code. */
function withCode(error: unknown): unknown {
  const type = error instanceof Error && /^Invalid input for (\w+) type$/.exec(error.message)?.[1];
  return type ? Object.assign(new Error(`invalid input syntax for type ${type}`), { code: '22P02' }) : error;
}

/** Rows that are read at once where bytes are counted: the most that can be in memory beyond the bound. */
const ROWS_AT_ONCE = 50;

type StatementOptions = {
  maxBytes?: number;
  /** Begins a transaction first. */
  begin?: boolean;
};

/** A statement that ran before. It has the types of its parameters once it is prepared. */
type Known = { name: string; types?: number[] };

/**
 * Runs statements on a PGlite. A statement that repeats is prepared, so that PostgreSQL keeps its plan: with the
 * policies of a table, planning takes longer than the query of a page.
 */
export class StatementRunner {
  readonly onNotice: OnNotice;
  readonly #pg: PGlite;
  readonly #known = new LRUCache<string, Known>({
    max: MAX_PREPARED,
    dispose: ({ name, types }) => types && this.#unused.push(name),
  });
  /** Names of prepared statements that PostgreSQL has yet to forget. */
  #unused: string[] = [];
  #names = 0;

  constructor(pg: PGlite, warn: Warn) {
    this.#pg = pg;
    this.onNotice = ({ severity, message }) => {
      if (severity === 'WARNING') warn(message ?? '');
    };
  }

  /**
   * Runs a statement. To be called while nothing else uses the database. PGlite's own `query` sends six messages one by
   * one, and reads all rows first; here they are two, or one for a prepared statement, and where `maxBytes` is set, rows
   * are read some at a time.
   * @throws DatabaseFault; `PT413` where the rows are larger than `maxBytes`
   */
  async run<Row>(
    statement: string,
    parameters: readonly unknown[],
    { maxBytes, begin }: StatementOptions = {},
  ): Promise<QueryResult<Row>> {
    const sync = serialize.sync();
    let isSynced = false;
    try {
      const { name, types, unsent } = await this.#parse(statement, begin ? [serialize.query('BEGIN')] : []);
      const values = parameters.map((value, at) => serializeValue(this.#pg, value, types[at]));
      const bound = [
        ...unsent,
        serialize.bind({ values, statement: name }),
        serialize.describe({ type: 'P' }),
      ];
      let received: Message[];
      if (maxBytes === undefined) {
        isSynced = true;
        received = await this.#send(...bound, serialize.execute({}), sync);
      } else {
        received = await this.#send(...bound);
        received.push(...(await this.#readBounded(maxBytes)));
      }
      // The first result may be that of BEGIN.
      const result = parse.parseResults(received, this.#pg.parsers).at(-1);
      return { rows: (result?.rows ?? []) as Row[], changed: result?.affectedRows };
    } catch (error) {
      if (isOutdated(error)) this.#known.delete(statement);
      throw withoutValues(withCode(error));
    } finally {
      if (!isSynced) await this.#send(sync);
    }
  }

  /** Forgets all prepared statements. To be called after a change of schema: each whose columns it changed would fail once. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * Finds a prepared statement, or parses one. Gives it a name when it runs for the second time.
   * @param first messages that are to be sent before; returned as `unsent` if none is sent here
   */
  async #parse(statement: string, first: Uint8Array[]) {
    const known = this.#known.get(statement);
    if (known?.types) return { name: known.name, types: known.types, unsent: first };
    const name = known?.name ?? '';
    const closed = this.#unused.map((unused) => serialize.close({ type: 'S', name: unused }));
    this.#unused = [];
    const received = await this.#send(
      ...first,
      ...closed,
      serialize.parse({ text: statement, name }),
      serialize.describe({ type: 'S', name }),
    );
    const types = parse.parseDescribeStatementResults(received);
    if (known) known.types = types;
    else if (mayBePrepared(statement)) this.#known.set(statement, { name: `statement_${++this.#names}` });
    return { name, types, unsent: [] };
  }

  /** Reads the rows of the bound statement. */
  async #readBounded(maxBytes: number): Promise<Message[]> {
    const received: Message[] = [];
    let bytes = 0;
    for (let more = true; more; ) {
      const portion = await this.#send(serialize.execute({ rows: ROWS_AT_ONCE }));
      bytes += portion.reduce((sum, message) => sum + (message.name === 'dataRow' ? message.length : 0), 0);
      if (bytes > maxBytes) throw resultTooLarge();
      received.push(...portion);
      more = portion.some(({ name }) => name === 'portalSuspended');
    }
    return received;
  }

  #send(...parts: Uint8Array[]): Promise<Message[]> {
    return this.#pg.execProtocolStream(concatenate(parts), { syncToFs: false, onNotice: this.onNotice });
  }
}

/** Ends a transaction: as one message, where PGlite's `exec` sends two. */
export async function endTransaction(pg: PGlite, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  try {
    await pg.execProtocolStream(serialize.query(how), { syncToFs: false });
  } catch (error) {
    throw withoutValues(error);
  }
}

function concatenate(parts: Uint8Array[]): Uint8Array {
  const [first] = parts;
  return first && parts.length === 1 ? first : Buffer.concat(parts);
}

function serializeValue(pg: PGlite, value: unknown, type = 0): string | null {
  if (value === null || value === undefined) return null;
  return pg.serializers[type]?.(value) ?? String(value);
}
