import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* Features that the package's README lists as not offered. The client must get an error, never a wrong answer. */

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
});
afterAll(() => backend.stop());

test('refuses other ways to sign in', async () => {
  const { auth } = anonClient(backend);
  const phone = '+12025550123';
  for (const { data, error } of [
    await auth.signInAnonymously(),
    await auth.signInWithOtp({ phone }),
    await auth.signUp({ phone, password: 'correct horse battery' }),
    await auth.signInWithIdToken({ provider: 'google', token: 'x' }),
    await auth.signInWithSSO({ domain: 'news.example' }),
  ]) {
    expect(error?.status, JSON.stringify(data)).toBeGreaterThanOrEqual(400);
  }
  const oauth = await auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } });
  expect((await fetch(oauth.data.url ?? '', { redirect: 'manual' })).status).toBeGreaterThanOrEqual(400);
});

test('has no multi-factor authentication', async () => {
  const client = anonClient(backend);
  await client.auth.signUp({ email: 'ann@example.com', password: 'correct horse battery' });
  const { error } = await client.auth.mfa.enroll({ factorType: 'totp' });
  expect(error?.status).toBe(404);
});

test.each(['/graphql/v1', '/storage/v1/s3/', '/pg/meta/tables'])('has no %s', async (path) => {
  const headers = { apikey: backend.secretKey, authorization: `Bearer ${backend.secretKey}` };
  const { status, ok } = await fetch(`${backend.url}${path}`, { headers });
  expect([ok, status === 404 || status === 400]).toEqual([false, true]);
});
