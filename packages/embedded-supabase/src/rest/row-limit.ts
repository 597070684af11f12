import { type KyselyPlugin, LimitNode, OperationNodeTransformer, ValueNode } from 'kysely';

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
