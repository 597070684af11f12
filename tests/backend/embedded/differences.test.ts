import { describe, expect } from 'vitest';
import { serviceClient, signUp } from '../../support/backend.ts';
import { test as base } from './probe.ts';

/* Differences from a hosted project that the package's README names, each as the README states it. */

type Ask = { path: string; method?: string; headers?: Record<string, string>; body?: string };

const test = base
  .extend('ask', { scope: 'file' }, ({ backend }) => async ({ path, method, headers, body }: Ask) => {
    const answer = await fetch(backend.url + path, {
      method,
      headers: { apikey: backend.secretKey, 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parse(text) };
  })
  .extend('person', { scope: 'file' }, async ({ backend }) => {
    const password = 'correct horse battery';
    const { user } = await signUp(backend, { password });
    return { email: user.email ?? '', password };
  });

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const AUTH = '/auth/v1';

describe('Auth', () => {
  test.for<[string, Ask, number, object]>([
    ['a wrong method', { path: `${AUTH}/signup` }, 404, { code: 'not_found' }],
    ['an unknown route', { path: `${AUTH}/nothing` }, 404, { code: 'not_found' }],
    [
      'a body of null',
      { path: `${AUTH}/signup`, method: 'POST', body: 'null' },
      400,
      { error_code: 'bad_json' },
    ],
    [
      'a malformed refresh token',
      { path: `${AUTH}/token?grant_type=refresh_token`, method: 'POST', body: '{"refresh_token":"-"}' },
      400,
      { error_code: 'refresh_token_not_found' },
    ],
    [
      'a refusal for a newer version of the API',
      {
        path: `${AUTH}/verify`,
        method: 'POST',
        headers: { 'x-supabase-api-version': '2024-01-01' },
        body: '{"type":"email","token_hash":"x"}',
      },
      403,
      { code: 403, error_code: 'otp_expired', msg: expect.any(String) },
    ],
    [
      'the OpenID configuration',
      { path: `${AUTH}/.well-known/openid-configuration` },
      404,
      { code: 'not_found' },
    ],
    [
      'the SSO providers',
      { path: `${AUTH}/admin/sso/providers` },
      404,
      { error_code: 'saml_provider_disabled' },
    ],
  ])('answers %s', async ([, ask, status, body], { ask: send }) => {
    const answer = await send(ask);
    expect([answer.status, answer.json]).toMatchObject([status, body]);
  });

  test('lists people with their identities', async ({ backend, person }) => {
    const { data } = await serviceClient(backend).auth.admin.listUsers({ perPage: 1000 });
    const listed = data.users.find(({ email }) => email === person.email);
    expect(listed?.identities).toMatchObject([{ provider: 'email' }]);
  });
});

describe('REST', () => {
  test.for<[string, Ask, number, object]>([
    ['an unknown table without a hint', { path: '/rest/v1/painter' }, 404, { code: 'PGRST205', hint: null }],
    [
      'an unknown column without its table',
      { path: '/rest/v1/painters?select=nothing' },
      400,
      { code: '42703', message: 'column "nothing" does not exist' },
    ],
    [
      'a comparison with an embedded table as with an unknown column',
      { path: '/rest/v1/paintings?select=id,painters(id)&painters=eq.1' },
      400,
      { code: '42703', message: 'column paintings.painters does not exist' },
    ],
    [
      'a fault of the database without its cause',
      { path: '/rest/v1/rpc/two_rows', method: 'POST', body: '{}' },
      500,
      { code: 'internal', message: 'Something went wrong.' },
    ],
    [
      'a longer path',
      { path: '/rest/v1/a/b' },
      404,
      { code: 'PGRST125', message: 'Invalid path specified in request URL' },
    ],
  ])('answers %s', async ([, ask, status, body], { ask: send }) => {
    const answer = await send(ask);
    expect([answer.status, answer.json]).toMatchObject([status, body]);
  });

  test('answers OPTIONS without Allow', async ({ ask }) => {
    const answer = await ask({ path: '/rest/v1/painters', method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, null]);
  });

  test('writes arrays in CSV as JSON, and no rows as an empty text', async ({ ask, backend }) => {
    const client = serviceClient(backend);
    await client
      .from('things')
      .upsert({ id: 90_001, name: 'x', tags: ['a', 'b'] })
      .throwOnError();
    const csv = async (id: number) =>
      (await ask({ path: `/rest/v1/things?select=id,tags&id=eq.${id}`, headers: { accept: 'text/csv' } }))
        .text;
    expect(await csv(90_001)).toBe('id,tags\n90001,"[""a"",""b""]"');
    expect(await csv(90_002)).toBe('');
  });
});

describe('Storage', () => {
  test.for(['/object/public/x/y', '/bucket', '/status', '/version', '/object/x/y'])(
    'answers %s without a key',
    async (path, { backend }) => {
      const answer = await fetch(`${backend.url}/storage/v1${path}`);
      expect(answer.status).toBe(path.includes('/public/') ? 400 : 401);
    },
  );

  test('refuses invalid metadata, and a signed URL with a transformation', async ({ ask, backend }) => {
    const client = serviceClient(backend);
    await client.storage.createBucket('differences', { public: false });
    const bytes = await ask({
      path: '/storage/v1/object/differences/a.txt',
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-metadata': 'no base64 of JSON' },
      body: 'hello',
    });
    expect(bytes.status).toBe(400);
    await client.storage.from('differences').upload('b.txt', 'hello');
    const signed = await client.storage
      .from('differences')
      .createSignedUrl('b.txt', 60, { transform: { width: 9 } });
    expect(signed.error?.message).toMatch(/image transformation/);
  });
});

test('answers the address of the socket without an upgrade', async ({ ask }) => {
  expect((await ask({ path: '/realtime/v1/websocket' })).status).toBe(404);
});
