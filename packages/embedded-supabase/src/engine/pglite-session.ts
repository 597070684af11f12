import {
  type ExecProtocolOptions,
  type messages,
  type PGlite,
  parse,
  protocol,
  type Transaction,
} from '@electric-sql/pglite';
import { LRUCache } from 'lru-cache';
import { backendLog } from '../log/log.ts';
import {
  type DatabaseSession,
  isPreparable,
  MAX_PREPARED_STATEMENTS,
  type QueryResult,
  ROWS_PER_PORTION,
  type SessionPool,
  splitAtRowEnds,
} from './engine.ts';
import { isStaleStatement, redactDriverError, resultTooLargeError } from './errors.ts';

const { serialize } = protocol;

type Message = messages.BackendMessage;
type Warn = (message: string) => void;
type OnNotice = NonNullable<ExecProtocolOptions['onNotice']>;

/** Logs a warning of PGlite. A PostgreSQL server writes its warnings to its own log. */
const logWarning: Warn = (message) => backendLog.warn(`The database warns: ${message}`);

/** Returns the only session of a PGlite that runs in this thread. One caller may use it at a time. */
export function pgliteSessionPool(pg: PGlite): SessionPool {
  const statements = new StatementRunner(pg, logWarning);
  return {
    ...pgliteSession(pg, statements),
    maxSessions: 1,
    transaction: (work) => pg.transaction((transaction) => work(pgliteSession(pg, statements, transaction))),
  };
}

/** Creates a session. @param connection the open transaction of PGlite, if any */
export function pgliteSession(
  pg: PGlite,
  statements: StatementRunner,
  connection: PGlite | Transaction = pg,
): DatabaseSession {
  const { onNotice } = statements;
  return {
    query: (statement, parameters = [], { maxBytes } = {}) =>
      statements.run(statement, parameters, { maxBytes }),
    async exec(script) {
      try {
        await connection.exec(script, { onNotice });
      } catch (error) {
        throw redactDriverError(error);
      }
    },
    async *copyOut(query) {
      const { blob } = await connection.query(`copy (${query}) to '/dev/blob'`);
      if (blob) yield new Uint8Array(await blob.arrayBuffer());
    },
    async copyIn(target, pieces) {
      for await (const rows of splitAtRowEnds(pieces)) {
        try {
          await connection.query(`copy ${target} from '/dev/blob'`, [], { blob: new Blob([rows]) });
        } catch (error) {
          throw redactDriverError(withCode(error));
        }
      }
    },
  };
}

/** Adds the SQLSTATE to PGlite's own error for an invalid value. PGlite checks some types before PostgreSQL does. */
function withCode(error: unknown): unknown {
  const type = error instanceof Error && /^Invalid input for (\w+) type$/.exec(error.message)?.[1];
  return type ? Object.assign(new Error(`invalid input syntax for type ${type}`), { code: '22P02' }) : error;
}

type StatementOptions = {
  maxBytes?: number;
  /** Begins a transaction first. */
  begin?: boolean;
};

/** A statement that ran before. `types` are the types of its parameters, once it is prepared. */
type KnownStatement = { name: string; types?: number[] };

/**
 * Runs statements on a PGlite. It prepares statements that repeat, so that PostgreSQL keeps their plans. With the
 * policies of a table, planning takes longer than running the query of a page.
 */
export class StatementRunner {
  readonly onNotice: OnNotice;
  readonly #pg: PGlite;
  readonly #statements = new LRUCache<string, KnownStatement>({
    max: MAX_PREPARED_STATEMENTS,
    dispose: ({ name, types }) => types && this.#unused.push(name),
  });
  /** Names of prepared statements that are no longer used, but still exist in PostgreSQL. */
  #unused: string[] = [];
  #nameCount = 0;

  constructor(pg: PGlite, warn: Warn) {
    this.#pg = pg;
    this.onNotice = ({ severity, message }) => {
      if (severity === 'WARNING') warn(message ?? '');
    };
  }

  /**
   * Runs a statement. The caller must have the database to itself. PGlite's own `query` sends six messages one by one
   * and reads all rows at once. This method sends two messages, or one for a prepared statement. With `maxBytes` it
   * reads the rows in portions.
   * @throws DatabaseFault; with `PT413` if the rows are larger than `maxBytes`
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
      const values = parameters.map((value, index) => serializeValue(this.#pg, value, types[index]));
      const messages = [
        ...unsent,
        serialize.bind({ values, statement: name }),
        serialize.describe({ type: 'P' }),
      ];
      let received: Message[];
      if (maxBytes === undefined) {
        isSynced = true;
        received = await this.#send(...messages, serialize.execute({}), sync);
      } else {
        received = await this.#send(...messages);
        received.push(...(await this.#readBounded(maxBytes)));
      }
      // The first result may be that of BEGIN.
      const result = parse.parseResults(received, this.#pg.parsers).at(-1);
      return { rows: (result?.rows ?? []) as Row[], affectedRows: result?.affectedRows };
    } catch (error) {
      if (isStaleStatement(error)) this.#statements.delete(statement);
      throw redactDriverError(withCode(error));
    } finally {
      if (!isSynced) await this.#send(sync);
    }
  }

  /**
   * Forgets all prepared statements. Call this after a change of the schema. Otherwise each statement whose columns
   * changed would fail once.
   */
  forgetStatements(): void {
    this.#statements.clear();
  }

  /**
   * Finds a prepared statement, or parses the statement. A statement gets a name when it runs for the second time.
   * @param leading messages to send first; returned as `unsent` if this method sends nothing
   */
  async #parse(statement: string, leading: Uint8Array[]) {
    const prepared = this.#statements.get(statement);
    if (prepared?.types) return { name: prepared.name, types: prepared.types, unsent: leading };
    const name = prepared?.name ?? '';
    const closeMessages = this.#unused.map((unused) => serialize.close({ type: 'S', name: unused }));
    this.#unused = [];
    const received = await this.#send(
      ...leading,
      ...closeMessages,
      serialize.parse({ text: statement, name }),
      serialize.describe({ type: 'S', name }),
    );
    const types = parse.parseDescribeStatementResults(received);
    if (prepared) prepared.types = types;
    else if (isPreparable(statement))
      this.#statements.set(statement, { name: `statement_${++this.#nameCount}` });
    return { name, types, unsent: [] };
  }

  /** Reads the rows of the bound statement in portions. @throws DatabaseFault `PT413` */
  async #readBounded(maxBytes: number): Promise<Message[]> {
    const received: Message[] = [];
    let bytes = 0;
    for (let hasMore = true; hasMore; ) {
      const portion = await this.#send(serialize.execute({ rows: ROWS_PER_PORTION }));
      bytes += portion.reduce((sum, message) => sum + (message.name === 'dataRow' ? message.length : 0), 0);
      if (bytes > maxBytes) throw resultTooLargeError();
      received.push(...portion);
      hasMore = portion.some(({ name }) => name === 'portalSuspended');
    }
    return received;
  }

  #send(...parts: Uint8Array[]): Promise<Message[]> {
    return this.#pg.execProtocolStream(concatenate(parts), { syncToFs: false, onNotice: this.onNotice });
  }
}

/** Ends a transaction with a single message. PGlite's `exec` would send two. */
export async function endTransaction(pg: PGlite, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  try {
    await pg.execProtocolStream(serialize.query(command), { syncToFs: false });
  } catch (error) {
    throw redactDriverError(error);
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
