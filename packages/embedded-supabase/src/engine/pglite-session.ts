import {
  type ExecProtocolOptions,
  type messages,
  type PGlite,
  parse,
  protocol,
  type Transaction,
} from '@electric-sql/pglite';
import { log } from '../log/log.ts';
import { resultTooLarge, withoutValues } from './errors.ts';
import { type DatabaseSession, type QueryResult, queryRows, type Sessions } from './session.ts';

const { serialize } = protocol;

type Message = messages.BackendMessage;
type Warn = (message: string) => void;
type OnNotice = NonNullable<ExecProtocolOptions['onNotice']>;

/** A server writes warnings to a log of its own. */
const logWarning: Warn = (message) => log.warn(`The database warns: ${message}`);

/** The session of a PGlite in this thread. One caller uses it at a time. */
export function pgliteSessions(pg: PGlite): Sessions {
  return {
    ...pgliteSession(pg),
    maxSessions: 1,
    transaction: (work) => pg.transaction((transaction) => work(pgliteSession(pg, logWarning, transaction))),
  };
}

/** @param within the transaction that PGlite has open, if any */
export function pgliteSession(
  pg: PGlite,
  warn: Warn = logWarning,
  within: PGlite | Transaction = pg,
): DatabaseSession {
  const onNotice = warnOf(warn);
  return {
    query: (statement, parameters = [], { maxBytes } = {}) =>
      runStatement(pg, statement, parameters, { maxBytes, onNotice }),
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

/** Passes the warnings among PostgreSQL's notices on. */
export const warnOf =
  (warn: Warn): OnNotice =>
  ({ severity, message }) => {
    if (severity === 'WARNING') warn(message ?? '');
  };

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
  onNotice?: OnNotice;
};

/**
 * Runs a statement. To be called while nothing else uses the database. PGlite's own `query` sends six messages one by
 * one, and reads all rows first; here they are two, and where `maxBytes` is set, rows are read some at a time.
 * @throws DatabaseFault; `PT413` where the rows are larger than `maxBytes`
 */
export async function runStatement<Row>(
  pg: PGlite,
  statement: string,
  parameters: readonly unknown[],
  { maxBytes, begin, onNotice }: StatementOptions = {},
): Promise<QueryResult<Row>> {
  const send = (...parts: Uint8Array[]) =>
    pg.execProtocolStream(concatenate(parts), { syncToFs: false, onNotice });
  const sync = serialize.sync();
  let isSynced = false;
  try {
    const prepared = await send(
      ...(begin ? [serialize.query('BEGIN')] : []),
      serialize.parse({ text: statement }),
      serialize.describe({ type: 'S' }),
    );
    const types = parse.parseDescribeStatementResults(prepared);
    const values = parameters.map((value, at) => serializeValue(pg, value, types[at]));
    const bound = [serialize.bind({ values }), serialize.describe({ type: 'P' })];
    let received: Message[];
    if (maxBytes === undefined) {
      isSynced = true;
      received = await send(...bound, serialize.execute({}), sync);
    } else {
      received = await send(...bound);
      let bytes = 0;
      for (let more = true; more; ) {
        const portion = await send(serialize.execute({ rows: ROWS_AT_ONCE }));
        bytes += portion.reduce((sum, message) => sum + (message.name === 'dataRow' ? message.length : 0), 0);
        if (bytes > maxBytes) throw resultTooLarge();
        received.push(...portion);
        more = portion.some(({ name }) => name === 'portalSuspended');
      }
    }
    const [result] = parse.parseResults(received, pg.parsers);
    return { rows: (result?.rows ?? []) as Row[], changed: result?.affectedRows };
  } catch (error) {
    throw withoutValues(withCode(error));
  } finally {
    if (!isSynced) await send(sync);
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
