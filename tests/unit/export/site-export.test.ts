import { expect, test } from 'vitest';
import { exportRows } from '../../../src/lib/http/site-export.server.ts';

type Backend = Parameters<typeof exportRows>[0];
type Reply = { data: unknown; error: { code: string; message: string } | null; status: number };

const LIMITED: Reply = { data: null, error: { code: 'PT429', message: 'rate_limited' }, status: 429 };
const page = (...ids: string[]): Reply => ({ data: ids.map((id) => ({ id })), error: null, status: 200 });

/** A backend that gives these responses in sequence. */
const replying = (...replies: Reply[]) => ({ rpc: async () => replies.shift() }) as unknown as Backend;

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("waits when the owner's rate limit is reached", async () => {
  const rows = await collect(
    exportRows(replying(page('a'), LIMITED, page('b'), page()), 'people', { idempotency_key: 'x' }),
  );
  expect(rows).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test('ends with any other refusal', async () => {
  const forbidden: Reply = { data: null, error: { code: 'PT403', message: 'forbidden' }, status: 403 };
  await expect(
    collect(exportRows(replying(forbidden), 'people', { idempotency_key: 'x' })),
  ).rejects.toMatchObject({
    refusal: { code: 'forbidden' },
  });
});
