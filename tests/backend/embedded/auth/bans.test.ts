import { describe, expect } from 'vitest';
import { anonClient, serviceClient, signUp, type TestBackend } from '../../../support/backend.ts';
import { openMailedLink } from '../../../support/sign-in.ts';
import { test } from '../probe.ts';
import { PASSWORD } from './mailing.ts';

let backend: TestBackend;
let service: ReturnType<typeof serviceClient>;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
  service = serviceClient(backend);
});

const signIn = (email: string, password = PASSWORD) =>
  anonClient(backend).auth.signInWithPassword({ email, password });

async function ban(id: string, ban_duration: string) {
  const { data, error } = await service.auth.admin.updateUserById(id, { ban_duration });
  if (error) throw error;
  return data.user;
}

/** Creates a person with a session, an address and a mailed link. */
async function newPerson() {
  const { client, user } = await signUp(backend, { password: PASSWORD });
  const { data } = await client.auth.getSession();
  const email = user.email ?? '';
  const link = await service.auth.admin.generateLink({ type: 'magiclink', email });
  return {
    client,
    id: user.id,
    email,
    token: data.session?.access_token ?? '',
    link: link.data.properties?.action_link ?? '',
    code: link.data.properties?.email_otp ?? '',
  };
}

describe('a banned person', () => {
  test('cannot sign in in any way, and learns the reason only with valid credentials', async () => {
    const { id, email, link, code } = await newPerson();
    const user = await ban(id, '24h');
    const until = Date.parse((user as { banned_until?: string }).banned_until ?? '');
    expect(until - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(until - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);

    const { auth } = anonClient(backend);
    const refused = [
      await signIn(email),
      await signIn(email, 'not the password'),
      await auth.verifyOtp({ email, token: code, type: 'email' }),
      await auth.verifyOtp({ email, token: '00000000', type: 'email' }),
      await openMailedLink(backend, link),
    ];
    expect(refused.map(({ error }) => [error?.status, error?.code])).toEqual([
      [400, 'user_banned'],
      [400, 'invalid_credentials'],
      [403, 'user_banned'],
      [403, 'otp_expired'],
      [403, 'user_banned'],
    ]);
  });

  test('is refused at the next call of an existing session', async () => {
    const { client, id, token } = await newPerson();
    await ban(id, '876000h');
    const asked = await anonClient(backend).auth.getUser(token);
    expect([asked.error?.status, asked.error?.code]).toEqual([403, 'user_banned']);
    const changed = await client.auth.updateUser({ data: { display_name: 'Still here' } });
    expect([changed.error?.status, changed.error?.code]).toEqual([403, 'user_banned']);
    expect((await client.auth.refreshSession()).error?.status).toBe(400);
    expect((await service.auth.admin.getUserById(id)).data.user?.user_metadata).not.toHaveProperty(
      'display_name',
    );
  });

  test('can sign in again after the ban was lifted', async () => {
    const { client, id, email, token, link } = await newPerson();
    await ban(id, '24h');
    const user = await ban(id, 'none');
    expect(user).not.toHaveProperty('banned_until');
    expect((await anonClient(backend).auth.getUser(token)).error?.name).toBe('AuthSessionMissingError');
    expect((await client.auth.refreshSession()).error).not.toBeNull();
    expect((await signIn(email)).error).toBeNull();
    // The link was refused before it was used.
    expect((await openMailedLink(backend, link)).data.user?.id).toBe(id);
  });

  test('can sign in again after the ban has expired', async () => {
    const { id, email } = await newPerson();
    await ban(id, '1500ms');
    expect((await signIn(email)).error?.code).toBe('user_banned');
    await expect.poll(async () => (await signIn(email)).error, { timeout: 10_000 }).toBeNull();
  });

  test('can be created as banned', async () => {
    const email = 'banned-from-the-start@example.com';
    await service.auth.admin.createUser({
      email,
      password: PASSWORD,
      email_confirm: true,
      ban_duration: '1h',
    });
    expect((await signIn(email)).error?.code).toBe('user_banned');
  });

  test.each(['for ever', '-1h', '1y', '9999999h'])(
    'is not banned with a duration of %s',
    async (ban_duration) => {
      const { id, email } = await newPerson();
      const { error } = await service.auth.admin.updateUserById(id, { ban_duration });
      expect([error?.status, error?.code]).toEqual([400, 'validation_failed']);
      expect((await signIn(email)).error).toBeNull();
    },
  );

  test('stays banned when the ban and a sign-in happen at the same time', async () => {
    const { id, email } = await newPerson();
    const [, ...attempts] = await Promise.all([ban(id, '24h'), ...[1, 2, 3, 4].map(() => signIn(email))]);
    for (const { data } of attempts) {
      if (!data.session) continue;
      expect((await anonClient(backend).auth.getUser(data.session.access_token)).error?.code).toBe(
        'user_banned',
      );
    }
    await ban(id, 'none');
    for (const { data } of attempts) {
      if (!data.session) continue;
      const { error } = await anonClient(backend).auth.refreshSession(data.session);
      expect(error).not.toBeNull();
    }
  });
});
