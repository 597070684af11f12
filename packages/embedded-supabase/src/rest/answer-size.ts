import { CompiledQuery, type DatabaseConnection, type Kysely } from 'kysely';
import { isDatabaseError } from '../engine/errors.ts';
import { kyselyOn } from '../engine/kysely.ts';
import { QueryRefused } from './query-check.ts';

/** Stands in the error that ends a query whose answer is too large; PostgreSQL quotes it. */
const TOO_LARGE = 'answer_too_large';

/** The column with the running sum. Every row is answered without it. */
const BYTES = 'answer bytes';

/** The refusal of an answer that is too large. @param most in bytes */
export const responseTooLarge = (most: number) =>
  new QueryRefused({ most_bytes: most }, 'Ask for fewer rows, or for fewer columns.', 'PT413');

/** Whether a query ended because its answer was too large. */
export const isTooLarge = (error: unknown): boolean =>
  isDatabaseError(error) && error.code === '22P02' && error.message.includes(`"${TOO_LARGE} `);

/**
 * The same transaction, in which the database adds up the rows of each SELECT while it makes them, and ends the query
 * when they are larger than allowed. Neither the database nor this process ever holds more.
 * @param bytes of the rows as PostgreSQL writes them: JSON is up to a tenth larger there than in an answer
 */
export function limitResponseSize(transaction: Kysely<unknown>, bytes: number): Kysely<unknown> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      if (query.query.kind !== 'SelectQueryNode') return transaction.executeQuery<Row>(query);
      const limited = CompiledQuery.raw(summed(query.sql, bytes), [...query.parameters]);
      const result = await transaction.executeQuery<Row & object>(limited);
      for (const row of result.rows) Reflect.deleteProperty(row, BYTES);
      return result;
    },
    streamQuery() {
      throw new Error('Streaming is not offered.');
    },
  };
  const nothing = async () => {};
  return kyselyOn({
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    destroy: nothing,
  });
}

/** The cast fails at the first row beyond the limit. Its text holds the sum, so that it is not evaluated beforehand. */
const summed = (query: string, bytes: number) => `select * from (
  select part.*, sum(octet_length((part.*)::text)) over (rows unbounded preceding) as "${BYTES}"
  from (${query}) as part
) as answer
where (case when "${BYTES}" > ${bytes} then '${TOO_LARGE} ' || "${BYTES}" else '0' end)::integer = 0`;
