import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect } from 'vitest';
import { anonClient, serviceClient, signUp, type TestBackend } from '../../../support/backend.ts';
import { openMailedLink } from '../../../support/sign-in.ts';
import { test } from '../probe.ts';
import { newAddress, PASSWORD } from './mailing.ts';

let backend: TestBackend;
let admin: SupabaseClient['auth']['admin'];
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
  admin = serviceClient(backend).auth.admin;
});

const signIn = (email: string, password = PASSWORD) =>
  anonClient(backend).auth.signInWithPassword({ email, password });

describe('a person created by the server', () => {
  test('is confirmed if requested, and can sign in at once', async () => {
    const email = newAddress();
    const { data, error } = await admin.createUser({
      email: email.toUpperCase(),
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { display_name: 'Ada' },
      app_metadata: { desk: 'night' },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email,
      aud: 'authenticated',
      role: 'authenticated',
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'email', providers: ['email'], desk: 'night' },
      user_metadata: { display_name: 'Ada' },
      is_anonymous: false,
      identities: [
        {
          provider: 'email',
          id: data.user?.id,
          user_id: data.user?.id,
          identity_data: { email, sub: data.user?.id },
        },
      ],
    });
    const signedIn = await signIn(email);
    expect(signedIn.error).toBeNull();
    expect(signedIn.data.user?.id).toBe(data.user?.id);
  });

  test('must confirm the address otherwise', async () => {
    const email = newAddress();
    const { data } = await admin.createUser({ email, password: PASSWORD });
    expect(data.user?.email_confirmed_at).toBeUndefined();
    expect((await signIn(email)).error?.code).toBe('email_not_confirmed');
  });

  test('cannot sign in with a password if none was given', async () => {
    const email = newAddress();
    expect((await admin.createUser({ email, email_confirm: true })).error).toBeNull();
    expect((await signIn(email, '')).error).not.toBeNull();
    expect((await signIn(email, 'undefined')).error?.code).toBe('invalid_credentials');
  });

  test('may have an id and a bcrypt hash from another system', async () => {
    const [id, email] = [randomUUID(), newAddress()];
    // The hash of 'correct horse battery' with cost 4.
    const password_hash = '$2b$04$19rqhdVSoIzW/fNzlOnuRuMh4rMD9wU8xUTijPadUrim2PcKkE5Q2';
    const { data, error } = await admin.createUser({ id, email, password_hash, email_confirm: true });
    expect(error).toBeNull();
    expect(data.user?.id).toBe(id);
    expect((await signIn(email)).error).toBeNull();
  });

  test.each([
    ['no address', {}, 400, 'validation_failed'],
    ['no address but a phone', { phone: '4412345' }, 400, 'phone_provider_disabled'],
    ['what is no address', { email: 'ada' }, 400, 'validation_failed'],
    ['a weak password', { email: 'weak@example.com', password: 'nine char' }, 422, 'weak_password'],
    [
      'the address as the password',
      { email: 'same-one@example.com', password: 'Same-One@example.com' },
      422,
      'weak_password',
    ],
    [
      'a password longer than bcrypt reads',
      { email: 'long@example.com', password: 'x'.repeat(73) },
      400,
      'validation_failed',
    ],
    [
      'a password and a hash',
      { email: 'both@example.com', password: PASSWORD, password_hash: '$2b$10$x' },
      400,
      'validation_failed',
    ],
    [
      'a hash of another kind',
      { email: 'hash@example.com', password_hash: '$argon2id$v=19$m=16$x$y' },
      400,
      'validation_failed',
    ],
    ['an id that is none', { email: 'id@example.com', id: 'one' }, 400, 'validation_failed'],
    [
      'the nil id',
      { email: 'id@example.com', id: '00000000-0000-0000-0000-000000000000' },
      400,
      'validation_failed',
    ],
    ['a ban that is none', { email: 'ban@example.com', ban_duration: 'for ever' }, 400, 'validation_failed'],
  ])('with %s is refused', async (_what, attributes, status, code) => {
    const { data, error } = await admin.createUser(attributes);
    expect(data.user).toBeNull();
    expect([error?.status, error?.code]).toEqual([status, code]);
  });

  test('with an existing address or id is refused, also concurrently', async () => {
    const [id, email] = [randomUUID(), newAddress()];
    const made = await Promise.all([1, 2, 3].map(() => admin.createUser({ email })));
    expect(made.map(({ error }) => error?.code).sort()).toEqual(['email_exists', 'email_exists', undefined]);
    await admin.createUser({ id, email: newAddress() });
    expect((await admin.createUser({ id, email: newAddress() })).error?.status).toBe(422);
    expect((await admin.createUser({ email: email.toUpperCase() })).error?.code).toBe('email_exists');
  });
});

describe('people', () => {
  test('are listed newest first in pages, with their number', async () => {
    const made = [];
    for (let i = 0; i < 5; i++) made.push((await admin.createUser({ email: newAddress() })).data.user?.id);
    const first = await admin.listUsers({ page: 1, perPage: 2 });
    const second = await admin.listUsers({ page: 2, perPage: 2 });
    const ids = [...first.data.users, ...second.data.users].map(({ id }) => id);
    expect(ids).toEqual(made.toReversed().slice(0, 4));

    const total = 'total' in first.data ? first.data.total : 0;
    expect(total).toBeGreaterThanOrEqual(5);
    const lastPage = Math.ceil(total / 2);
    expect(first.data).toMatchObject({ aud: 'authenticated', nextPage: 2 });
    // The client reads only the first digit of the last page.
    expect(first.data).toMatchObject({ lastPage: Number(String(lastPage)[0]) });
    const last = await admin.listUsers({ page: lastPage, perPage: 2 });
    expect(last.data).toMatchObject({ nextPage: null, total });
    const beyond = await admin.listUsers({ page: lastPage + 1, perPage: 2 });
    expect(beyond.data.users).toEqual([]);
    expect((await admin.listUsers()).data.users.length).toBe(Math.min(50, total));
  });

  test.each([[{ page: -1 }], [{ page: 1.5 }], [{ perPage: Number.NaN }], [{ page: 1e300 }]])(
    'are not listed by a page of %j',
    async (page) => {
      const { data, error } = await admin.listUsers(page);
      expect([data.users, error?.status, error?.code]).toEqual([[], 400, 'validation_failed']);
    },
  );

  test('are returned for their id only', async () => {
    const { data } = await admin.createUser({ email: newAddress() });
    const result = await admin.getUserById(data.user?.id ?? '');
    expect(result.data.user).toEqual(data.user);
    const nobody = await admin.getUserById(randomUUID());
    expect([nobody.error?.status, nobody.error?.code]).toEqual([404, 'user_not_found']);
    const answer = await fetch(`${backend.url}/auth/v1/admin/users/ann`, {
      headers: { apikey: backend.secretKey },
    });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { code: 404, error_code: 'validation_failed', msg: 'user_id must be an UUID' },
    ]);
  });
});

describe('a person changed by the server', () => {
  test('has the new address, password and metadata at once, and keeps the rest', async () => {
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const email = newAddress();
    const { data, error } = await admin.updateUserById(user.id, {
      email,
      password: 'another long one',
      user_metadata: { a: 1 },
      app_metadata: { b: 2 },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      id: user.id,
      email,
      app_metadata: { provider: 'email', b: 2 },
      user_metadata: { a: 1 },
      identities: [{ identity_data: { email } }],
    });
    expect(
      (await admin.updateUserById(user.id, { user_metadata: { c: 3 } })).data.user?.user_metadata,
    ).toMatchObject({
      a: 1,
      c: 3,
    });
    expect(
      (await admin.updateUserById(user.id, { user_metadata: { a: null } })).data.user?.user_metadata,
    ).not.toHaveProperty('a');
    expect((await signIn(user.email ?? '')).error?.code).toBe('invalid_credentials');
    expect((await signIn(email, 'another long one')).error).toBeNull();
    // An old session may belong to a person who knew the old password.
    expect((await client.auth.refreshSession()).error).not.toBeNull();
  });

  test.each([
    ['address', () => ({ email: newAddress() })],
    ['password', () => ({ password: 'another long one' })],
  ])('with a new %s makes earlier mails void', async (_what, change) => {
    const { user } = await signUp(backend);
    const { data } = await admin.generateLink({ type: 'recovery', email: user.email ?? '' });
    await admin.updateUserById(user.id, change());
    const { error } = await openMailedLink(backend, data.properties?.action_link ?? '');
    expect(error?.code).toBe('otp_expired');
  });

  test('loses a pending change of address', async () => {
    const { user } = await signUp(backend);
    const change = { email: user.email ?? '', newEmail: newAddress() };
    const { data: link } = await admin.generateLink({ type: 'email_change_new', ...change });
    expect(link.user?.new_email).toBe(change.newEmail);
    const { data } = await admin.updateUserById(user.id, { email: newAddress() });
    expect(data.user).not.toHaveProperty('new_email');
  });

  test('gets an address that two people are given at the same time if it is first', async () => {
    const [one, other] = [await signUp(backend), await signUp(backend)];
    const email = newAddress();
    const given = await Promise.all([one, other].map(({ user }) => admin.updateUserById(user.id, { email })));
    expect(given.map(({ error }) => error?.code).sort()).toEqual(['email_exists', undefined]);
  });

  test('is confirmed if requested', async () => {
    const email = newAddress();
    const { data } = await admin.createUser({ email, password: PASSWORD });
    const confirmed = await admin.updateUserById(data.user?.id ?? '', { email_confirm: true });
    expect(confirmed.data.user?.email_confirmed_at).toEqual(expect.any(String));
    expect((await signIn(email)).error).toBeNull();
  });

  test('is refused an existing address or a weak password', async () => {
    const [one, other] = [await signUp(backend), await signUp(backend)];
    const existing = await admin.updateUserById(one.user.id, { email: other.user.email?.toUpperCase() });
    expect([existing.error?.status, existing.error?.code]).toEqual([422, 'email_exists']);
    const weak = await admin.updateUserById(one.user.id, {
      password: 'short',
      user_metadata: { changed: true },
    });
    expect(weak.error?.code).toBe('weak_password');
    const same = await admin.updateUserById(one.user.id, { password: one.user.email });
    expect(same.error?.code).toBe('weak_password');
    expect((await admin.getUserById(one.user.id)).data.user?.user_metadata).not.toHaveProperty('changed');
    expect((await admin.updateUserById(one.user.id, { email: one.user.email })).error).toBeNull();
    expect((await admin.updateUserById(randomUUID(), { email: newAddress() })).error?.code).toBe(
      'user_not_found',
    );
  });
});

describe('a person deleted by the server', () => {
  test('loses all sessions and tokens at once, and frees the address', async () => {
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const { data: before } = await client.auth.getSession();
    expect((await admin.deleteUser(user.id)).error).toBeNull();

    expect((await admin.getUserById(user.id)).error?.code).toBe('user_not_found');
    expect((await client.auth.getUser(before.session?.access_token)).error).not.toBeNull();
    expect((await client.auth.refreshSession()).error).not.toBeNull();
    expect((await signIn(user.email ?? '')).error?.code).toBe('invalid_credentials');
    expect((await admin.deleteUser(user.id)).error?.code).toBe('user_not_found');
    expect((await admin.createUser({ email: user.email })).error).toBeNull();
  });

  test('softly leaves an empty row', async () => {
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const { data: before } = await client.auth.getSession();
    const { data: link } = await admin.generateLink({ type: 'magiclink', email: user.email ?? '' });
    for (let i = 0; i < 2; i++) expect((await admin.deleteUser(user.id, true)).error).toBeNull();

    const { data } = await admin.getUserById(user.id);
    expect(data.user).toMatchObject({
      deleted_at: expect.any(String),
      user_metadata: {},
      app_metadata: {},
      identities: [],
    });
    expect(JSON.stringify(data.user)).not.toContain('@');
    expect((await client.auth.getUser(before.session?.access_token)).error).not.toBeNull();
    expect((await client.auth.refreshSession()).error).not.toBeNull();
    expect((await openMailedLink(backend, link.properties?.action_link ?? '')).error?.code).toBe(
      'otp_expired',
    );
    expect((await signIn(user.email ?? '')).error?.code).toBe('invalid_credentials');
    expect((await signIn(data.user?.email ?? '')).error?.code).toBe('invalid_credentials');
    expect((await admin.createUser({ email: user.email })).error).toBeNull();
  });
});

describe('a session ended by the server', () => {
  test.each([
    ['local', [false, true]],
    ['others', [true, false]],
    ['global', [false, false]],
  ] as const)('with scope %s ends the right sessions', async (scope, expected) => {
    const { client, user } = await signUp(backend, { password: PASSWORD });
    const second = anonClient(backend);
    await second.auth.signInWithPassword({ email: user.email ?? '', password: PASSWORD });
    const tokenOf = async (one: SupabaseClient) =>
      (await one.auth.getSession()).data.session?.access_token ?? '';
    const tokens = [await tokenOf(client), await tokenOf(second)];
    expect((await admin.signOut(tokens[0] ?? '', scope)).error).toBeNull();
    const alive = async (token: string) => (await anonClient(backend).auth.getUser(token)).error === null;
    expect(await Promise.all(tokens.map(alive))).toEqual(expected);
  });
});

describe('a client without the secret key', () => {
  type Call = [name: string, call: (api: SupabaseClient['auth']['admin']) => Promise<{ error: unknown }>];
  const someone = randomUUID();
  const calls: Call[] = [
    ['createUser', (api) => api.createUser({ email: newAddress() })],
    ['listUsers', (api) => api.listUsers()],
    ['getUserById', (api) => api.getUserById(someone)],
    ['updateUserById', (api) => api.updateUserById(someone, { email: newAddress() })],
    ['deleteUser', (api) => api.deleteUser(someone)],
    ['inviteUserByEmail', (api) => api.inviteUserByEmail(newAddress())],
    ['generateLink', (api) => api.generateLink({ type: 'magiclink', email: newAddress() })],
  ];

  test.each(calls)('may not call %s', async (_name, call) => {
    const stranger = await call(anonClient(backend).auth.admin);
    expect(stranger.error).toMatchObject({ status: 403, code: 'not_admin' });

    const { client, user } = await signUp(backend);
    const token = (await client.auth.getSession()).data.session?.access_token ?? '';
    const asPerson = (key: string) => {
      const { auth } = anonClient({ ...backend, publishableKey: key });
      Object.assign(auth.admin, { headers: { apikey: key, authorization: `Bearer ${token}` } });
      return auth.admin;
    };
    // A user's token does not help, even with the server's key in the request.
    for (const key of [backend.publishableKey, backend.secretKey]) {
      expect((await call(asPerson(key))).error).toMatchObject({ status: 403, code: 'not_admin' });
    }
    expect((await admin.getUserById(user.id)).error).toBeNull();
  });
});

describe('a list of accounts', () => {
  const list = async (query: Record<string, string>) => {
    const answer = await fetch(`${backend.url}/auth/v1/admin/users?${new URLSearchParams(query)}`, {
      headers: { apikey: backend.secretKey },
    });
    const body = (await answer.json()) as { users?: { email: string }[]; error_code?: string };
    return { status: answer.status, ...body, emails: body.users?.map(({ email }) => email) };
  };

  test('is filtered by address or name, and sorted by age', async () => {
    const tag = randomUUID();
    const [first, second] = [`${tag}@a.example`, newAddress()];
    await admin.createUser({ email: first });
    await admin.createUser({ email: second, user_metadata: { full_name: `Ada ${tag.toUpperCase()}` } });
    expect(await list({ filter: tag, sort: 'created_at asc' })).toMatchObject({ emails: [first, second] });
    expect(await list({ filter: tag })).toMatchObject({ emails: [second, first] });
    expect((await list({ filter: `${tag}@a` })).emails).toEqual([first]);
    expect((await list({ filter: "' or true --" })).emails).toEqual([]);
  });

  test.each(['email', 'created_at up', 'created_at asc, id'])('is not sorted by %s', async (sort) => {
    expect(await list({ sort })).toMatchObject({ status: 400, error_code: 'validation_failed' });
  });
});
