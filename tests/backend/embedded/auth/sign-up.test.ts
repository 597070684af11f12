import { describe, expect } from 'vitest';
import { anonClient, serviceClient } from '../../../support/backend.ts';
import {
  follow,
  type Mailing,
  newAddress,
  newMember,
  PASSWORD,
  readLink,
  SITE_URL,
  test,
  typeIn,
} from './mailing.ts';

let backend: Mailing;
test.beforeAll(async ({ mailing }) => {
  backend = mailing;
});

const signUp = (email: string, password = PASSWORD, emailRedirectTo?: string) =>
  anonClient(backend).auth.signUp({ email, password, options: { data: { name: 'Ada' }, emailRedirectTo } });
const signIn = async (email: string, password = PASSWORD) =>
  (await anonClient(backend).auth.signInWithPassword({ email, password })).error?.code;

describe('a sign-up with mails', () => {
  test('needs confirmation by link or code', async () => {
    for (const way of [follow, typeIn]) {
      const email = newAddress();
      const { data, error } = await signUp(email);
      expect(error).toBeNull();
      expect(data.session).toBeNull();
      expect(data.user).toMatchObject({ email, user_metadata: { name: 'Ada' } });
      expect(data.user?.email_confirmed_at).toBeUndefined();

      const mail = await backend.mails.next(email);
      expect(await signIn(email)).toBe('email_not_confirmed');
      expect(readLink(mail)).toMatchObject({ page: `${SITE_URL}/auth/confirm`, type: 'email' });
      expect(mail.code).toMatch(/^\d{8}$/);
      const confirmed = await way(backend, mail);
      expect(confirmed.error).toBeNull();
      expect(confirmed.data.session).not.toBeNull();
      expect(confirmed.data.user).toMatchObject({
        email,
        email_confirmed_at: expect.any(String),
        user_metadata: { name: 'Ada', email_verified: true },
        identities: [{ identity_data: { email, email_verified: true } }],
      });
      expect(await signIn(email)).toBeUndefined();
      expect((await way(backend, mail)).error?.code).toBe('otp_expired');
    }
  });

  test('does not reveal an existing account, and sends no mail to it', async () => {
    const known = await newMember(backend);
    const unknown = newAddress();
    const [toKnown, toUnknown] = [await signUp(known.email), await signUp(unknown)];
    const shape = ({ data, error }: typeof toKnown) => {
      const { id, email, confirmation_sent_at, created_at, updated_at, ...rest } = data.user ?? {};
      return { error, session: data.session, rest, made: [id, email, confirmation_sent_at, created_at] };
    };
    expect(shape(toKnown).rest).toEqual(shape(toUnknown).rest);
    expect(shape(toKnown).made).toEqual([
      expect.any(String),
      known.email,
      expect.any(String),
      expect.any(String),
    ]);
    expect(toKnown.data.user?.id).not.toBe(known.id);
    expect(toKnown.data.user?.identities).toEqual([]);

    // The next mail is the requested one, so none was sent before.
    await anonClient(backend).auth.resetPasswordForEmail(known.email);
    expect(readLink(await backend.mails.next(known.email)).type).toBe('recovery');
    expect(await signIn(known.email)).toBeUndefined();
  });

  test('can be repeated before confirmation, which makes older links void and keeps the password', async () => {
    const email = newAddress();
    await signUp(email);
    const first = await backend.mails.next(email);
    await signUp(email);
    const second = await backend.mails.next(email);
    expect((await follow(backend, first)).error?.code).toBe('otp_expired');
    expect((await typeIn(backend, first)).error?.code).toBe('otp_expired');
    expect((await follow(backend, second)).error).toBeNull();
    expect(await signIn(email)).toBeUndefined();
  });

  test('made concurrently creates one account, whose last mail is valid', async () => {
    const email = newAddress();
    const all = await Promise.all([1, 2, 3, 4].map(() => signUp(email)));
    expect(all.map(({ error }) => error)).toEqual([null, null, null, null]);
    const mails = await Promise.all([1, 2, 3, 4].map(() => backend.mails.next(email)));
    const outcomes = await Promise.all(mails.map((mail) => follow(backend, mail)));
    expect(outcomes.filter(({ error }) => error === null)).toHaveLength(1);
    expect(await signIn(email)).toBeUndefined();
    const { data } = await serviceClient(backend).auth.admin.listUsers({ perPage: 1000 });
    expect(data.users.filter((user) => user.email === email)).toHaveLength(1);
  });

  test('redirects to the site only', async () => {
    const next = async (redirectTo?: string) => {
      const email = newAddress();
      await signUp(email, PASSWORD, redirectTo);
      return readLink(await backend.mails.next(email)).next;
    };
    expect(await next(`${SITE_URL}/live/storm?a=1`)).toBe(`${SITE_URL}/live/storm?a=1`);
    const nowhere = await next();
    for (const elsewhere of [
      'https://evil.example/',
      'https://news.example.evil.example/',
      'http://news.example/',
      'javascript:alert(1)',
      '//evil.example',
    ]) {
      expect([elsewhere, await next(elsewhere)]).toEqual([elsewhere, nowhere]);
    }
  });

  test.each([
    ['an address', 'no address', PASSWORD, 'validation_failed'],
    ['an address without a line break', 'a@example.com\nbcc:b@example.com', PASSWORD, 'validation_failed'],
    ['a password', 'a@example.com', '', 'validation_failed'],
    ['ten characters', 'a@example.com', 'nine char', 'weak_password'],
    ['no more than bcrypt reads', 'a@example.com', 'ä'.repeat(40), 'validation_failed'],
  ])('needs %s', async (_what, email, password, code) => {
    expect((await signUp(email, password)).error?.code).toBe(code);
  });
});

describe("a stranger's password", () => {
  test('is lost when another mail confirms the address', async () => {
    const ways = [
      (email: string) => anonClient(backend).auth.signInWithOtp({ email }),
      (email: string) => anonClient(backend).auth.resetPasswordForEmail(email),
    ];
    for (const ask of ways) {
      const email = newAddress();
      await signUp(email, 'a password of a stranger');
      await backend.mails.next(email);
      await ask(email);
      const mine = await follow(backend, await backend.mails.next(email));
      expect(mine.error).toBeNull();
      expect(mine.data.user?.email_confirmed_at).toEqual(expect.any(String));
      expect(await signIn(email, 'a password of a stranger')).toBe('invalid_credentials');
    }
  });

  test('does not open an account that another person requested too', async () => {
    const [mine, theirs] = ['a password of mine', 'a password of a stranger'];
    for (const passwords of [
      [mine, theirs],
      [theirs, mine],
      [mine, theirs, mine],
    ]) {
      const email = newAddress();
      for (const password of passwords) await signUp(email, password);
      const mails = await Promise.all(passwords.map(() => backend.mails.next(email)));
      const outcomes = await Promise.all(mails.map((mail) => follow(backend, mail)));
      expect(outcomes.filter(({ error }) => error === null)).toHaveLength(1);
      expect([await signIn(email, mine), await signIn(email, theirs)]).toEqual(
        Array(2).fill('invalid_credentials'),
      );
    }
  });

  test('does not open the account of an invited person, whichever mail is used', async () => {
    const email = newAddress();
    await serviceClient(backend).auth.admin.inviteUserByEmail(email);
    await backend.mails.next(email);
    await signUp(email, 'a password of a stranger');
    expect((await follow(backend, await backend.mails.next(email))).error).toBeNull();
    expect(await signIn(email, 'a password of a stranger')).toBe('invalid_credentials');
  });
});
