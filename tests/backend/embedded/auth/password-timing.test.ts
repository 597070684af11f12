import { compare, getRounds } from 'bcryptjs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signInWithPassword } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import { createUser } from '../../../../packages/embedded-supabase/src/auth/users.ts';
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
  const { db } = context.lite;
  await createUser(db, { email: 'with@example.com', passwordHash, confirmed: true });
  await createUser(db, { email: 'without@example.com', passwordHash: undefined, confirmed: true });
  for (const email of ['with@example.com', 'without@example.com', 'nobody@example.com']) {
    vi.mocked(compare).mockClear();
    const attempt = signInWithPassword(context, callOf({ email, password: 'correct horse battery' }));
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' });
    // Hashes of another length are not compared.
    const work = vi
      .mocked(compare)
      .mock.calls.map(([password, hash]) => [password, getRounds(hash), hash.length]);
    expect([email, work]).toEqual([email, [['correct horse battery', 10, 60]]]);
  }
});
