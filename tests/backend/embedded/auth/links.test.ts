import type { GenerateLinkParams, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  anonClient,
  serviceClient,
  signUp,
  startBackend,
  type TestBackend,
} from '../../../support/backend.ts';
import { openMailedLink } from '../../../support/sign-in.ts';
import { PROBE_SCHEMA } from '../probe.ts';
import { newAddress, PASSWORD } from './mailing.ts';

const SITE = 'https://news.example';

let backend: TestBackend;
let admin: SupabaseClient['auth']['admin'];
beforeAll(async () => {
  // Without a mailer: links are what an owner without one lives by.
  backend = await startBackend({ migrations: PROBE_SCHEMA, environment: { SITE_URL: SITE } });
  admin = serviceClient(backend).auth.admin;
});
afterAll(() => backend.stop());

async function linkFor(params: GenerateLinkParams) {
  const { data, error } = await admin.generateLink(params);
  if (error) throw error;
  return data;
}

function press(link: string) {
  expect(new URL(link).origin + new URL(link).pathname).toBe(`${SITE}/auth/confirm`);
  return openMailedLink(backend, link);
}

describe('a link made by the server', () => {
  test('to sign up makes the account, which the link confirms', async () => {
    const email = newAddress();
    const { properties, user } = await linkFor({
      type: 'signup',
      email: email.toUpperCase(),
      password: PASSWORD,
      options: { data: { display_name: 'Ada' } },
    });
    expect(user).toMatchObject({ email, user_metadata: { display_name: 'Ada' } });
    expect(user?.email_confirmed_at).toBeUndefined();
    expect(properties).toMatchObject({
      verification_type: 'signup',
      email_otp: expect.stringMatching(/^\d{8}$/),
      hashed_token: new URL(properties.action_link).searchParams.get('token_hash'),
    });
    const { auth } = anonClient(backend);
    expect((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
      'email_not_confirmed',
    );
    const confirmed = await press(properties.action_link);
    expect(confirmed.data.user?.email_confirmed_at).toEqual(expect.any(String));
    expect((await auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });

  test('to sign up takes the account, and the password, from whoever never confirmed the address', async () => {
    const email = newAddress();
    const link = (password: string) => linkFor({ type: 'signup', email, password });
    const [stranger, own] = [await link('a stranger chose this'), await link(PASSWORD)];
    expect(own.user?.id).toBe(stranger.user?.id);
    expect((await press(stranger.properties.action_link)).error?.code).toBe('otp_expired');
    expect((await press(own.properties.action_link)).error).toBeNull();
    const signIn = (password: string) => anonClient(backend).auth.signInWithPassword({ email, password });
    expect((await signIn('a stranger chose this')).error?.code).toBe('invalid_credentials');
    expect((await signIn(PASSWORD)).error).toBeNull();
  });

  test('to sign in does so, and is one to sign up for somebody new', async () => {
    const { user } = await signUp(backend);
    const known = await linkFor({ type: 'magiclink', email: user.email ?? '' });
    expect(known.properties.verification_type).toBe('magiclink');
    expect((await press(known.properties.action_link)).data.user?.id).toBe(user.id);

    const email = newAddress();
    const unknown = await linkFor({ type: 'magiclink', email });
    expect(unknown.properties.verification_type).toBe('signup');
    expect((await press(unknown.properties.action_link)).data.user?.email).toBe(email);
  });

  test('of an invitation makes an account that chooses its password afterwards', async () => {
    const email = newAddress();
    const { properties, user } = await linkFor({
      type: 'invite',
      email,
      options: { data: { desk: 'night' } },
    });
    expect(user).toMatchObject({ invited_at: expect.any(String), user_metadata: { desk: 'night' } });
    const client = anonClient(backend);
    const { token_hash, type } = { token_hash: properties.hashed_token, type: 'invite' as const };
    expect((await client.auth.verifyOtp({ token_hash, type })).error).toBeNull();
    expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
    expect(
      (await anonClient(backend).auth.signInWithPassword({ email, password: PASSWORD })).error,
    ).toBeNull();
  });

  test('to recover lets a new password be chosen', async () => {
    const { user } = await signUp(backend);
    const { properties } = await linkFor({ type: 'recovery', email: user.email ?? '' });
    const client = anonClient(backend);
    await client.auth.verifyOtp({ token_hash: properties.hashed_token, type: 'recovery' });
    expect((await client.auth.updateUser({ password: 'another long one' })).error).toBeNull();
  });

  test('to change the address needs both of its halves', async () => {
    const { user } = await signUp(backend);
    const [email, newEmail] = [user.email ?? '', newAddress()];
    const current = await linkFor({ type: 'email_change_current', email, newEmail });
    const next = await linkFor({ type: 'email_change_new', email, newEmail });
    expect(current.properties.verification_type).toBe('email_change_current');
    expect((await press(next.properties.action_link)).data.session).toBeNull();
    expect((await admin.getUserById(user.id)).data.user?.email).toBe(email);
    expect((await press(current.properties.action_link)).error).toBeNull();
    expect((await admin.getUserById(user.id)).data.user?.email).toBe(newEmail);
  });

  test('comes with a code that does the same, and either is used once', async () => {
    const { user } = await signUp(backend);
    const email = user.email ?? '';
    const { properties } = await linkFor({ type: 'magiclink', email });
    const byCode = await anonClient(backend).auth.verifyOtp({
      email,
      token: properties.email_otp,
      type: 'email',
    });
    expect(byCode.data.user?.id).toBe(user.id);
    expect((await press(properties.action_link)).error?.code).toBe('otp_expired');
  });

  test('takes the place of the one before', async () => {
    const { user } = await signUp(backend);
    const links = [];
    for (let i = 0; i < 2; i++) links.push(await linkFor({ type: 'recovery', email: user.email ?? '' }));
    expect((await press(links[0]?.properties.action_link ?? '')).error?.code).toBe('otp_expired');
    expect((await press(links[1]?.properties.action_link ?? '')).error).toBeNull();
  });

  test('made for somebody new by several at once is for one account, and one of them is good', async () => {
    const email = newAddress();
    const links = await Promise.all([1, 2, 3].map(() => linkFor({ type: 'invite', email })));
    expect(new Set(links.map(({ user }) => user?.id)).size).toBe(1);
    const pressed = await Promise.all(links.map(({ properties }) => press(properties.action_link)));
    expect(pressed.filter(({ error }) => error === null)).toHaveLength(1);
  });

  test('leads on within the site and nowhere else', async () => {
    const { user } = await signUp(backend);
    const to = async (redirectTo: string) =>
      (await linkFor({ type: 'magiclink', email: user.email ?? '', options: { redirectTo } })).properties;
    const home = await to(`${SITE}/desk?all=1`);
    expect(home.redirect_to).toBe(`${SITE}/desk?all=1`);
    expect(new URL(home.action_link).searchParams.get('next')).toBe(`${SITE}/desk?all=1`);
    for (const elsewhere of [
      'https://evil.example/',
      `${SITE}.evil.example/`,
      'javascript:alert(1)',
      '//evil.example',
    ]) {
      const away = await to(elsewhere);
      expect(away.redirect_to).toBe(SITE);
      expect(away.action_link).not.toContain('evil');
      expect(away.action_link).not.toContain('javascript');
    }
  });

  test.each<[string, number, string, () => GenerateLinkParams | Promise<GenerateLinkParams>]>([
    ['to recover, for nobody', 404, 'user_not_found', () => ({ type: 'recovery', email: newAddress() })],
    [
      'to change the address of nobody',
      404,
      'user_not_found',
      () => ({ type: 'email_change_new', email: newAddress(), newEmail: newAddress() }),
    ],
    ['to what is no address', 400, 'validation_failed', () => ({ type: 'magiclink', email: 'ada' })],
    [
      'to sign up somebody who has',
      422,
      'email_exists',
      async () => ({ type: 'signup', email: (await signUp(backend)).user.email ?? '', password: PASSWORD }),
    ],
    [
      'to invite somebody who has an account',
      422,
      'email_exists',
      async () => ({ type: 'invite', email: (await signUp(backend)).user.email ?? '' }),
    ],
    [
      'to change to an address that is taken',
      422,
      'email_exists',
      async () => ({
        type: 'email_change_new',
        email: (await signUp(backend)).user.email ?? '',
        newEmail: (await signUp(backend)).user.email ?? '',
      }),
    ],
    [
      'with a weak password',
      422,
      'weak_password',
      () => ({ type: 'signup', email: newAddress(), password: 'short' }),
    ],
    [
      'of no known kind',
      400,
      'validation_failed',
      () => ({ type: 'sms', email: newAddress() }) as unknown as GenerateLinkParams,
    ],
  ])('%s is refused', async (_what, status, code, params) => {
    const { error } = await admin.generateLink(await params());
    expect([error?.status, error?.code]).toEqual([status, code]);
  });

  test('leaves nobody behind when it is refused', async () => {
    const email = newAddress();
    await admin.generateLink({ type: 'signup', email, password: 'short' });
    expect((await admin.generateLink({ type: 'recovery', email })).error?.code).toBe('user_not_found');
  });
});
