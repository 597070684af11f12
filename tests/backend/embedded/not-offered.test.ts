import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* Features that the package's README lists as not offered. The client must get an error, never a wrong answer. */

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
});
afterAll(() => backend.stop());

const server = () => serviceClient(backend);

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

test.each([
  ['vector buckets', () => server().storage.vectors.listBuckets()],
  ['vector buckets', () => server().storage.vectors.createBucket('embeddings')],
  ['analytics buckets', () => server().storage.analytics.listBuckets()],
  ['analytics buckets', () => server().storage.createBucket('events', { public: false, type: 'ANALYTICS' })],
])('refuses %s by name', async (feature, call) => {
  expect((await call()).error).toMatchObject({
    status: 400,
    statusCode: '409',
    message: `The feature ${feature} is not enabled for this resource`,
  });
});

test('answers the S3 protocol with its name', async () => {
  const answer = await fetch(`${backend.url}/storage/v1/s3/files`, {
    headers: { apikey: backend.secretKey },
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'FeatureNotEnabled', message: 'The feature S3 protocol is not enabled for this resource' },
  ]);
});

test.each(['/graphql/v1', '/pg/meta/tables', '/storage/v1/nothing'])('has no %s', async (path) => {
  const headers = { apikey: backend.secretKey, authorization: `Bearer ${backend.secretKey}` };
  expect((await fetch(`${backend.url}${path}`, { headers })).status).toBe(404);
});
