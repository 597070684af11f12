import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonClient, serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* Features that the package's README lists as not offered. The client must get an error, never a wrong answer. */

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
});
afterAll(() => backend.stop());

const server = () => serviceClient(backend);

const password = 'correct horse battery';
const phone = '+12025550123';

test.each<
  [string, (auth: SupabaseClient['auth']) => Promise<{ error: AuthError | null }>, number, string, RegExp]
>([
  ['anonymous users', (auth) => auth.signInAnonymously(), 422, 'anonymous_provider_disabled', /Anonymous/],
  ['a sign-up by phone', (auth) => auth.signUp({ phone, password }), 400, 'phone_provider_disabled', /Phone/],
  [
    'a sign-in by phone',
    (auth) => auth.signInWithPassword({ phone, password }),
    422,
    'phone_provider_disabled',
    /Phone/,
  ],
  ['a code by phone', (auth) => auth.signInWithOtp({ phone }), 400, 'phone_provider_disabled', /phone/],
  [
    'the code of a phone',
    (auth) => auth.verifyOtp({ phone, token: '123456', type: 'sms' }),
    400,
    'phone_provider_disabled',
    /Phone/,
  ],
  [
    'another code by phone',
    (auth) => auth.resend({ phone, type: 'sms' }),
    400,
    'phone_provider_disabled',
    /Phone/,
  ],
  [
    'an ID token',
    (auth) => auth.signInWithIdToken({ provider: 'google', token: 'x' }),
    400,
    'provider_disabled',
    /ID token/,
  ],
  [
    'a wallet',
    (auth) => auth.signInWithWeb3({ chain: 'solana', message: 'x', signature: new Uint8Array(64) }),
    422,
    'web3_provider_disabled',
    /Web3/,
  ],
  [
    'single sign-on',
    (auth) => auth.signInWithSSO({ domain: 'news.example' }),
    404,
    'saml_provider_disabled',
    /SAML/,
  ],
])('refuses %s by name', async (_way, signIn, status, code, message) => {
  const { error } = await signIn(anonClient(backend).auth);
  expect(error).toMatchObject({ status, code });
  expect(error?.message).toMatch(message);
});

test('refuses OAuth providers, also to a browser without a key', async () => {
  const { data } = await anonClient(backend).auth.signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true },
  });
  const answer = await fetch(data.url ?? '', { redirect: 'manual' });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error_code: 'validation_failed', msg: 'Unsupported provider: provider is not enabled' },
  ]);
});

test.each([
  ['GET', '/oauth/authorizations/x', 'feature_disabled', 'OAuth server is disabled'],
  ['GET', '/admin/oauth/clients', 'feature_disabled', 'OAuth server is disabled'],
  ['POST', '/admin/custom-providers', 'feature_disabled', 'Custom OAuth providers are disabled'],
  ['POST', '/passkeys/authentication/options', 'passkey_disabled', 'Passkeys are disabled'],
])('names the feature of %s %s', async (method, path, code, message) => {
  const answer = await fetch(`${backend.url}/auth/v1${path}`, {
    method,
    headers: { apikey: path.startsWith('/admin') ? backend.secretKey : backend.publishableKey },
  });
  expect([answer.status, answer.headers.get('x-sb-error-code'), await answer.json()]).toEqual([
    404,
    code,
    { code: 404, error_code: code, msg: message },
  ]);
});

test.each(['/signup', '/token?grant_type=password', '/otp'])(
  'wants an address or a phone for %s, not both',
  async (path) => {
    const answer = await fetch(`${backend.url}/auth/v1${path}`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify({ email: 'ann@example.com', phone, password }),
    });
    expect([answer.status, (await answer.json()).msg]).toEqual([
      400,
      expect.stringMatching(/^Only an email/),
    ]);
  },
);

test('knows no authorization code of PKCE', async () => {
  const exchange = async (body: object) => {
    const answer = await fetch(`${backend.url}/auth/v1/token?grant_type=pkce`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify(body),
    });
    return [answer.status, (await answer.json()).error_code];
  };
  const auth_code = '6b3a0f1e-8a36-4a0c-9d3b-5d2b3a1c9f10';
  expect(await exchange({ auth_code, code_verifier: 'x'.repeat(43) })).toEqual([404, 'flow_state_not_found']);
  expect(await exchange({ auth_code })).toEqual([400, 'validation_failed']);
});

describe('to a signed-in person', () => {
  let client: SupabaseClient;
  beforeAll(async () => {
    ({ client } = await signUp(backend));
  });

  test('has no multi-factor authentication', async () => {
    const { mfa } = client.auth;
    const off = (type: string) => ({ status: 422, code: `mfa_${type}_enroll_not_enabled` });
    expect((await mfa.enroll({ factorType: 'totp' })).error).toMatchObject(off('totp'));
    expect((await mfa.enroll({ factorType: 'phone', phone })).error).toMatchObject(off('phone'));
    expect((await mfa.listFactors()).data?.all).toEqual([]);
    for (const { error } of [
      await mfa.challenge({ factorId: 'none' }),
      await mfa.verify({ factorId: 'none', challengeId: 'none', code: '123456' }),
      await mfa.unenroll({ factorId: 'none' }),
    ]) {
      expect(error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
    }
    const { user } = (await client.auth.getUser()).data;
    const factors = await server().auth.admin.mfa.listFactors({ userId: user?.id ?? '' });
    expect(factors).toMatchObject({ error: null, data: { factors: [] } });
  });

  test('links no other identity, stores no phone and sends no code to confirm a password', async () => {
    const linked = await client.auth.linkIdentity({ provider: 'github' });
    expect(linked.error).toMatchObject({ status: 404, code: 'manual_linking_disabled' });
    expect((await client.auth.updateUser({ phone })).error).toMatchObject({
      status: 400,
      code: 'phone_provider_disabled',
    });
    expect((await client.auth.reauthenticate()).error).toMatchObject({
      status: 422,
      message: expect.stringContaining('Reauthentication'),
    });
  });

  test('asks for a session first', async () => {
    for (const path of ['/factors', '/user/identities/authorize?provider=github', '/reauthenticate']) {
      const answer = await fetch(`${backend.url}/auth/v1${path}`, {
        headers: { apikey: backend.publishableKey },
      });
      expect([path, answer.status, (await answer.json()).error_code]).toEqual([
        path,
        401,
        'no_authorization',
      ]);
    }
  });
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

test.each<[string, string, object?]>([
  ['GET', '/object/info/files/a?versionId=x'],
  ['DELETE', '/object/files', { prefixes: [{ name: 'a', versionId: 'x' }] }],
  ['POST', '/object/copy', { bucketId: 'files', sourceKey: 'a', destinationKey: 'b', sourceVersionId: 'x' }],
  ['POST', '/object/sign/files/a', { expiresIn: 60, versionId: 'x' }],
  ['POST', '/bucket', { name: 'versions', versioning_status: 'ENABLED' }],
])('refuses the versions of objects by name: %s %s', async (method, path, body) => {
  const answer = await fetch(`${backend.url}/storage/v1${path}`, {
    method,
    headers: { apikey: backend.secretKey, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { message: 'The feature object versioning is not enabled for this resource' },
  ]);
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

test.each(['/graphql/v1', '/pg/meta/tables', '/storage/v1/nothing', '/auth/v1/admin/audit'])(
  'has no %s',
  async (path) => {
    const headers = { apikey: backend.secretKey, authorization: `Bearer ${backend.secretKey}` };
    expect((await fetch(`${backend.url}${path}`, { headers })).status).toBe(404);
  },
);
