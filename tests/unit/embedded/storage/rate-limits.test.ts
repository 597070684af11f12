import { Hono, type MiddlewareHandler } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import type {
  GatewayContext,
  RequestVariables,
} from '../../../../packages/embedded-supabase/src/gateway/context.ts';
import { limitRequests, limitUploads } from '../../../../packages/embedded-supabase/src/storage/context.ts';
import { type Claims, InvalidTokenError } from '../../../../packages/embedded-supabase/src/tokens.ts';

const tokens = {
  async verify(token: string): Promise<Claims> {
    if (token !== 'token') throw new InvalidTokenError(false);
    return { role: 'authenticated', sub: 'ada' };
  },
} as GatewayContext['tokens'];

/** A service behind a limit, for a client address with or without a token. */
function behind(bound: MiddlewareHandler<RequestVariables>, answer: () => Promise<void> = async () => {}) {
  const app = new Hono<RequestVariables>();
  app.use(async (c, next) => {
    c.set('address', c.req.header('address'));
    c.set('token', c.req.header('token'));
    return next();
  });
  app.use(bound);
  app.all('*', async (c) => {
    await answer();
    return c.text('done');
  });
  return async (address?: string, token?: string) =>
    app.request('/', { headers: { ...(address && { address }), ...(token && { token }) } });
}

test('allows a visitor the rate of tables, a member more, and the server everything', async () => {
  // The clock stands still, because a busy machine would let more requests through.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const fetchFile = behind(limitRequests({ tokens }));
  const statuses = async (times: number, ...who: string[]) => {
    const answers = await Promise.all(Array.from({ length: times }, () => fetchFile(...who)));
    return answers.filter(({ status }) => status === 200).length;
  };
  expect(await statuses(100, '192.0.2.1')).toBeLessThan(70);
  const refused = await fetchFile('192.0.2.1');
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { statusCode: '429', code: 'SlowDown' },
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await statuses(100, '192.0.2.1', 'token')).toBe(100);
  expect(await statuses(100, '192.0.2.2')).toBeGreaterThan(50);
  // An invalid token gives no member's limit.
  expect(await statuses(100, '192.0.2.2', 'made up')).toBeLessThan(40);
  expect(await statuses(500)).toBe(500);
});

test('limits concurrent uploads per client network', async () => {
  const waiting: (() => void)[] = [];
  const fetchFile = behind(limitUploads(2), () => new Promise((resolve) => waiting.push(resolve)));
  const first = [fetchFile('192.0.2.1'), fetchFile('192.0.2.1'), fetchFile('192.0.2.2'), fetchFile()];
  await expect.poll(() => waiting.length).toBe(4);
  expect((await fetchFile('192.0.2.1')).status).toBe(429);
  for (const end of waiting.splice(0)) end();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const again = fetchFile('192.0.2.1');
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  expect((await again).status).toBe(200);
});
