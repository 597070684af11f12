import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.stop());

test('signs up, signs in, refreshes and signs out with the unmodified client', async () => {
  const { user } = await signUp(backend, { email: 'ada@example.com', password: 'long enough 1' });
  const client = anonClient(backend);
  const signedIn = await client.auth.signInWithPassword({
    email: 'ada@example.com',
    password: 'long enough 1',
  });
  expect(signedIn.error).toBeNull();
  expect(signedIn.data.user?.id).toBe(user.id);

  const asked = await client.auth.getUser();
  expect(asked.data.user?.email).toBe('ada@example.com');

  const claims = await client.auth.getClaims();
  expect(claims.error).toBeNull();
  const refreshed = await client.auth.refreshSession();
  expect(refreshed.error).toBeNull();
  expect((await client.auth.signOut()).error).toBeNull();
});
