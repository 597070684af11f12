import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type KyselyPlugin,
  LimitNode,
  OperationNodeTransformer,
  ValueNode,
} from 'kysely';
import { isDatabaseError } from '../engine/errors.ts';
import { createKysely } from '../engine/kysely.ts';
import { QueryRefusedError } from './query-check.ts';

/** Marks the error that ends a query whose response is too large. PostgreSQL quotes it in the message. */
const TOO_LARGE = 'answer_too_large';

/** Name of the column with the running sum. It is removed from every row of the response. */
const BYTES_COLUMN = 'answer bytes';

/** Creates the refusal of a response that is too large. @param maxBytes the limit in bytes */
export const responseTooLargeError = (maxBytes: number) =>
  new QueryRefusedError({ most_bytes: maxBytes }, 'Ask for fewer rows, or for fewer columns.', 'PT413');

/** Returns whether a query ended because its response was too large. */
export const isResponseTooLarge = (error: unknown): boolean =>
  isDatabaseError(error) && error.code === '22P02' && error.message.includes(`"${TOO_LARGE} `);

/**
 * Wraps a transaction so that the database adds up the size of each SELECT's rows while it produces them. The query
 * fails as soon as the sum exceeds the limit. Neither the database nor this process ever holds more.
 * @param maxBytes limit of the rows as PostgreSQL writes them. JSON is up to a tenth larger there than in a response
 */
export function limitResponseSize(transaction: Kysely<unknown>, maxBytes: number): Kysely<unknown> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      if (query.query.kind !== 'SelectQueryNode') return transaction.executeQuery<Row>(query);
      const limited = CompiledQuery.raw(withSizeLimit(query.sql, maxBytes), [...query.parameters]);
      const result = await transaction.executeQuery<Row & object>(limited);
      for (const row of result.rows) Reflect.deleteProperty(row, BYTES_COLUMN);
      return result;
    },
    streamQuery() {
      throw new Error('Streaming is not offered.');
    },
  };
  const doNothing = async () => {};
  return createKysely({
    init: doNothing,
    acquireConnection: async () => connection,
    releaseConnection: doNothing,
    beginTransaction: doNothing,
    commitTransaction: doNothing,
    rollbackTransaction: doNothing,
    destroy: doNothing,
  });
}

/**
 * Adds the running sum and the limit to a query. The cast to integer fails at the first row beyond the limit. The text
 * to cast contains the sum, so that PostgreSQL does not evaluate the cast in advance.
 */
const withSizeLimit = (query: string, maxBytes: number) => `select * from (
  select part.*, sum(octet_length((part.*)::text)) over (rows unbounded preceding) as "${BYTES_COLUMN}"
  from (${query}) as part
) as answer
where (case when "${BYTES_COLUMN}" > ${maxBytes} then '${TOO_LARGE} ' || "${BYTES_COLUMN}" else '0' end)::integer = 0`;

/**
 * Writes the limit that every query without a limit of its own gets into the statement, as a number. With a parameter,
 * PostgreSQL would keep a plan that does not know the limit, so such statements are planned again each time.
 * @param maxRows `api.max_rows`
 */
export function writeRowLimit(maxRows: number): KyselyPlugin {
  const transformer = new RowLimitTransformer(maxRows);
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

class RowLimitTransformer extends OperationNodeTransformer {
  readonly #maxRows: number;

  constructor(maxRows: number) {
    super();
    this.#maxRows = maxRows;
  }

  protected override transformLimit(node: LimitNode): LimitNode {
    const isDefault = ValueNode.is(node.limit) && node.limit.value === this.#maxRows;
    return isDefault
      ? LimitNode.create(ValueNode.createImmediate(this.#maxRows))
      : super.transformLimit(node);
  }
}
