import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite';
import { resultTooLarge } from './errors.ts';
import type { Answer } from './session.ts';

const { serialize } = protocol;

type Message = messages.BackendMessage;

/** Rows that are read at once: the most that can be in memory beyond the bound. */
const ROWS_AT_ONCE = 50;

/**
 * Runs a statement and reads its rows some at a time, until they are larger than `maxBytes`. PGlite's own `query` reads
 * all of them first. To be called while nothing else uses the database.
 * @throws DatabaseFault `PT413`; the statement, and a transaction around it, has failed then
 */
export async function queryBounded<Row>(
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
