import { compare, getRounds } from 'bcryptjs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signInWithPassword } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import { createUser, verifyPassword } from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { runWithLimits } from '../../../../packages/embedded-supabase/src/engine/work.ts';
import { callOf, openAuthContext } from './context.ts';

// Spies on bcrypt: the amount of work must be equal, whatever its duration.
vi.mock('bcryptjs', { spy: true });

let context: Awaited<ReturnType<typeof openAuthContext>>;
beforeAll(async () => {
  context = await openAuthContext();
});
afterAll(() => context.close());

test('checking a password takes the same work with a password, without one, and without an account', async () => {
  const passwordHash = '$2b$10$abcdefghijklmnopqrstuuWqYbLkmkYmMd8bcGZ8zB2yjXpXG5WGy';
  const { db } = context.restApi;
  await createUser(db, { email: 'with@example.com', passwordHash, confirmed: true });
  await createUser(db, { email: 'without@example.com', passwordHash: undefined, confirmed: true });
  for (const email of ['with@example.com', 'without@example.com', 'nobody@example.com']) {
    vi.mocked(compare).mockClear();
    const attempt = signInWithPassword(context, callOf({ email, password: 'correct horse battery' }));
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' });
    // bcrypt does not compare hashes of another length, so the length must be equal too.
    const work = vi
      .mocked(compare)
      .mock.calls.map(([password, hash]) => [password, getRounds(hash), hash.length]);
    expect([email, work]).toEqual([email, [['correct horse battery', 10, 60]]]);
  }
});

test('passwords are checked one at a time, and clients take turns', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const checked: { client: string; turns: number }[] = [];
  const check = (client: string) =>
    runWithLimits({ client }, async () => {
      await verifyPassword('correct horse battery', undefined);
      checked.push({ client, turns });
    });
  await Promise.all([...Array.from({ length: 6 }, () => check('192.0.2.66')), check('192.0.2.1')]);
  clearInterval(counting);
  expect(checked.findIndex(({ client }) => client === '192.0.2.1')).toBeLessThan(3);
  // The process did other work between two checks.
  expect(new Set(checked.map((one) => one.turns)).size).toBe(7);
});
