import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { PROBE_SCHEMA } from './probe.ts';

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({
    migrations: PROBE_SCHEMA,
    environment: { SITE_URL: 'https://news.example/' },
  });
});
afterAll(() => backend.stop());

const PASSWORD = 'correct horse battery';

describe('an access token', () => {
  test('has the claims of a hosted project, and can be verified offline', async () => {
    const { client, user } = await signUp(backend);
    const { data, error } = await client.auth.getClaims();
    expect(error).toBeNull();
    expect(data?.header).toMatchObject({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) });
    expect(data?.claims).toMatchObject({
      iss: 'https://news.example/auth/v1',
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: user.email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { email: user.email },
      is_anonymous: false,
      aal: 'aal1',
      session_id: expect.any(String),
    });
    const { iat = 0, exp = 0, amr } = data?.claims ?? {};
    expect(exp - iat).toBe(3600);
    expect(amr).toEqual([{ method: 'password', timestamp: expect.any(Number) }]);

    const jwks = await (await fetch(`${backend.url}/auth/v1/.well-known/jwks.json`)).json();
    expect(jwks.keys).toHaveLength(1);
    expect(jwks.keys[0].kid).toBe(data?.header.kid);
    expect(jwks.keys[0]).not.toHaveProperty('d');
  });

  test('keeps method and time of signing in when it is refreshed', async () => {
    const { client } = await signUp(backend);
    const before = (await client.auth.getClaims()).data?.claims;
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.error).toBeNull();
    const after = (await client.auth.getClaims()).data?.claims;
    expect(after?.session_id).toBe(before?.session_id);
    expect(after?.amr).toEqual(before?.amr);
  });
});

describe('a session', () => {
  test('is created, changes its person and ends with the unmodified client', async () => {
    const { user } = await signUp(backend, { email: 'ada@example.com', password: PASSWORD });
    const client = anonClient(backend);
    const signedIn = await client.auth.signInWithPassword({ email: 'Ada@example.com', password: PASSWORD });
    expect(signedIn.data.user?.id).toBe(user.id);
    expect((await client.auth.getUser()).data.user?.email).toBe('ada@example.com');

    const changed = await client.auth.updateUser({
      data: { name: 'Ada' },
      password: 'another long one',
      current_password: PASSWORD,
    });
    expect(changed.data.user?.user_metadata.name).toBe('Ada');
    await client.auth.refreshSession();
    expect((await client.auth.getClaims()).data?.claims.user_metadata).toMatchObject({ name: 'Ada' });
    expect((await client.auth.signOut()).error).toBeNull();

    const old = await anonClient(backend).auth.signInWithPassword({
      email: 'ada@example.com',
      password: PASSWORD,
    });
    expect(old.error?.code).toBe('invalid_credentials');
  });

  test.each([
    ['local', [false, true]],
    ['others', [true, false]],
    ['global', [false, false]],
  ] as const)('signing out with scope %s ends the right sessions', async (scope, [own, other]) => {
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const second = anonClient(backend);
    await second.auth.signInWithPassword({ email: user.email ?? '', password: PASSWORD });
    const tokens = [client, second].map(
      async (one) => (await one.auth.getSession()).data.session?.access_token,
    );
    const [mine, others] = await Promise.all(tokens);

    expect((await client.auth.signOut({ scope })).error).toBeNull();
    const alive = async (token: string | undefined) =>
      (await anonClient(backend).auth.getUser(token)).error === null;
    expect([await alive(mine), await alive(others)]).toEqual([own, other]);
  });

  test('ends when a refresh token is reused', async () => {
    const { client } = await signUp(backend);
    const first = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    await client.auth.refreshSession();
    await client.auth.refreshSession();
    const stolen = await anonClient(backend).auth.refreshSession({ refresh_token: first });
    expect(stolen.error?.code).toBe('refresh_token_already_used');
    expect((await client.auth.refreshSession()).error).not.toBeNull();
  });

  test('concurrent sign-ups create one account, and concurrent refreshes return one token', async () => {
    const account = { email: 'twice@example.com', password: PASSWORD };
    const made = await Promise.all([1, 2, 3].map(() => anonClient(backend).auth.signUp(account)));
    expect(made.map(({ error }) => error?.code).sort()).toEqual([
      'user_already_exists',
      'user_already_exists',
      undefined,
    ]);

    const { client } = await signUp(backend);
    const refresh_token = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    const refresh = () => anonClient(backend).auth.refreshSession({ refresh_token });
    const next = await Promise.all([1, 2, 3, 4, 5].map(refresh));
    expect(new Set(next.map(({ data }) => data.session?.refresh_token)).size).toBe(1);
  });

  test('passwords need ten characters and must not equal the address', async () => {
    const { auth } = anonClient(backend);
    const short = await auth.signUp({ email: 'short@example.com', password: 'nine chars'.slice(0, 9) });
    expect(short.error?.code).toBe('weak_password');
    const same = await auth.signUp({
      email: 'same-as-this@example.com',
      password: 'Same-As-This@example.com',
    });
    expect(same.error?.code).toBe('weak_password');
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const changed = await client.auth.updateUser({ password: user.email, current_password: PASSWORD });
    expect(changed.error?.code).toBe('weak_password');
  });
});

describe('a foreign token', () => {
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
  const claims = {
    role: 'service_role',
    sub: '00000000-0000-4000-8000-000000000001',
    session_id: 'x',
    aud: 'authenticated',
  };
  const kept = async () => JSON.parse(await readFile(join(backend.data, 'keys.json'), 'utf8'));
  const hs256 = (secret: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(inAnHour())
      .sign(new TextEncoder().encode(secret));

  /** Signs claims with the backend's key. */
  const ours = async ({ lasts = true, ...held }: JWTPayload & { lasts?: boolean }) => {
    const made = new SignJWT(held).setProtectedHeader({ alg: 'ES256' });
    if (lasts) made.setExpirationTime(inAnHour());
    return made.sign(await importJWK((await kept()).signing, 'ES256'));
  };
  const known = { ...claims, role: 'authenticated' };

  const forgeries: [string, () => Promise<string>][] = [
    ['signed with our internal secret', async () => hs256((await kept()).internal)],
    ["signed with lite's default secret", async () => hs256('unsafe-secret-change-me')],
    [
      'signed with our public key as a secret',
      async () => {
        const { d: _private, ...publicJwk } = (await kept()).signing;
        return hs256(JSON.stringify(publicJwk));
      },
    ],
    ['not signed', async () => new UnsecuredJWT(claims).setExpirationTime(inAnHour()).encode()],
    [
      "signed with another's key under our kid",
      async () => {
        const { privateKey } = await generateKeyPair('ES256');
        const { kid } = (await kept()).signing;
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid })
          .setExpirationTime(inAnHour())
          .sign(privateKey);
      },
    ],
    [
      'carrying its own key',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('ES256');
        const header = { alg: 'ES256', jwk: await exportJWK(publicKey) };
        return new SignJWT(claims).setProtectedHeader(header).setExpirationTime(inAnHour()).sign(privateKey);
      },
    ],
    ['of a role that is none of an API', () => ours({ ...claims, role: 'postgres' })],
    ['without an end', () => ours({ ...known, lasts: false })],
    ['of no session', () => ours({ ...known, session_id: undefined })],
    ['of nobody', () => ours({ ...known, sub: undefined })],
    ['no token at all', async () => 'a.b.c'],
    ['another API key', async () => backend.secretKey],
  ];

  test.each(forgeries)('that is %s is refused', async (_name, forge) => {
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${await forge()}` };
    const data = await fetch(`${backend.url}/rest/v1/rpc/who_am_i`, { method: 'POST', headers });
    expect(data.status).toBe(401);
    expect(await data.json()).toMatchObject({ code: 'PGRST301' });
    const user = await fetch(`${backend.url}/auth/v1/user`, { headers });
    expect(user.status).toBe(403);
    expect(await user.json()).toMatchObject({ error_code: 'bad_jwt' });
  });

  test('that has expired is refused with that reason', async () => {
    const key = await importJWK((await kept()).signing, 'ES256');
    const now = Math.floor(Date.now() / 1000);
    const sign = (exp: number) =>
      new SignJWT({ ...claims, role: 'authenticated' })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime(exp)
        .sign(key);
    const ask = async (exp: number) =>
      fetch(`${backend.url}/rest/v1/rpc/who_am_i`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, authorization: `Bearer ${await sign(exp)}` },
      });
    expect((await ask(now + 60)).status).toBe(200);
    const late = await ask(now - 1);
    expect(late.status).toBe(401);
    expect(await late.json()).toMatchObject({ code: 'PGRST303', message: 'JWT expired' });
  });
});
