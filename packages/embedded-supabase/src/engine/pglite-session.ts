import { type messages, type PGlite, parse, protocol, type Transaction } from '@electric-sql/pglite';
import { log } from '../log.ts';
import { resultTooLarge, withoutValues } from './errors.ts';
import type { Answer, QueryOptions, Session, Sessions } from './session.ts';
import { wholeRows } from './whole-rows.ts';

const { serialize } = protocol;

type Message = messages.BackendMessage;
type Warn = (message: string) => void;

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
): Session {
  const onNotice = ({ severity, message }: { severity: string | undefined; message: string | undefined }) => {
    if (severity === 'WARNING') warn(message ?? '');
  };
  return {
    async query<Row>(
      statement: string,
      parameters: readonly unknown[] = [],
      { maxBytes }: QueryOptions = {},
    ) {
      try {
        if (maxBytes !== undefined) return await queryBounded<Row>(pg, statement, parameters, maxBytes);
        const { rows, affectedRows } = await within.query<Row>(statement, [...parameters], { onNotice });
        return { rows, changed: affectedRows };
      } catch (error) {
        throw withoutValues(withCode(error));
      }
    },
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
      for await (const rows of wholeRows(pieces)) {
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

/** Rows that are read at once: the most that can be in memory beyond the bound. */
const ROWS_AT_ONCE = 50;

/**
 * Runs a statement and reads its rows some at a time, until they are larger than `maxBytes`. PGlite's own `query` reads
 * all of them first. To be called while nothing else uses the database.
 * @throws DatabaseFault `PT413`; the statement, and a transaction around it, has failed then
 */
async function queryBounded<Row>(
  pg: PGlite,
  statement: string,
  parameters: readonly unknown[],
  maxBytes: number,
): Promise<Answer<Row>> {
  const send = (message: Uint8Array) => pg.execProtocolStream(message, { syncToFs: false });
  const received: Message[] = [];
  try {
    await send(serialize.parse({ text: statement }));
    const types = parse.parseDescribeStatementResults(await send(serialize.describe({ type: 'S' })));
    const values = parameters.map((value, at) => serializeValue(pg, value, types[at]));
    received.push(...(await send(serialize.bind({ values }))));
    received.push(...(await send(serialize.describe({ type: 'P' }))));
    let bytes = 0;
    for (let more = true; more; ) {
      const portion = await send(serialize.execute({ rows: ROWS_AT_ONCE }));
      bytes += portion.reduce((sum, message) => sum + (message.name === 'dataRow' ? message.length : 0), 0);
      if (bytes > maxBytes) throw resultTooLarge();
      received.push(...portion);
      more = portion.some(({ name }) => name === 'portalSuspended');
    }
  } finally {
    await send(serialize.sync());
  }
  const [result] = parse.parseResults(received, pg.parsers);
  return { rows: (result?.rows ?? []) as Row[], changed: result?.affectedRows };
}

function serializeValue(pg: PGlite, value: unknown, type = 0): string | null {
  if (value === null || value === undefined) return null;
  return pg.serializers[type]?.(value) ?? String(value);
}
