import { compare, getRounds } from 'bcryptjs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signIn } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import { createUser } from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { callOf, openHouse } from './house.ts';

// Watched, not replaced: how long a check takes is up to the machine, how much is checked is not.
vi.mock('bcryptjs', { spy: true });

let house: Awaited<ReturnType<typeof openHouse>>;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('a password costs the same for an account, for one without a password, and for none', async () => {
  const passwordHash = '$2b$10$abcdefghijklmnopqrstuuWqYbLkmkYmMd8bcGZ8zB2yjXpXG5WGy';
  const { db } = house.lite;
  await createUser(db, { email: 'with@example.com', passwordHash, confirmed: true });
  await createUser(db, { email: 'without@example.com', passwordHash: undefined, confirmed: true });
  for (const email of ['with@example.com', 'without@example.com', 'nobody@example.com']) {
    vi.mocked(compare).mockClear();
    const attempt = signIn(house, callOf({ email, password: 'correct horse battery' }));
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' });
    // What is not as long as a hash is not compared at all.
    const work = vi
      .mocked(compare)
      .mock.calls.map(([password, hash]) => [password, getRounds(hash), hash.length]);
    expect([email, work]).toEqual([email, [['correct horse battery', 10, 60]]]);
  }
});
