import { describe, expect } from 'vitest';
import { anonClient, serviceClient, startBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';
import {
  follow,
  type Mailing,
  newAddress,
  newMember,
  readLink,
  SITE_URL,
  signedIn,
  test,
  typeIn,
} from './mailing.ts';

let backend: Mailing;
test.beforeAll(async ({ mailing }) => {
  backend = mailing;
});

const accountsOf = async (email: string) => {
  const { data } = await serviceClient(backend).auth.admin.listUsers({ perPage: 1000 });
  return data.users.filter((user) => user.email === email);
};

describe('signing in by mail', () => {
  const ask = (email: string, shouldCreateUser = false) =>
    anonClient(backend).auth.signInWithOtp({ email, options: { shouldCreateUser } });

  test('works once by link or code, and the token says how', async () => {
    const { email, id } = await newMember(backend);
    for (const way of [follow, typeIn]) {
      expect((await ask(email.toUpperCase())).error).toBeNull();
      const mail = await backend.mails.next(email);
      expect(readLink(mail)).toMatchObject({ page: `${SITE_URL}/auth/confirm`, type: 'email' });
      const { data, error } = await way(backend, mail);
      expect(error).toBeNull();
      expect(data.user?.id).toBe(id);
      const claims = (await anonClient(backend).auth.getClaims(data.session?.access_token)).data?.claims;
      expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'otp' }], email });
      expect((await way(backend, mail)).error).toMatchObject({ code: 'otp_expired', status: 403 });
    }
  });

  test('the session continues, and its refresh keeps the method', async () => {
    const { email } = await newMember(backend);
    await ask(email);
    const client = anonClient(backend);
    const { token_hash, type } = readLink(await backend.mails.next(email));
    await client.auth.verifyOtp({ token_hash, type });
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.error).toBeNull();
    expect((await client.auth.getClaims()).data?.claims.amr).toMatchObject([{ method: 'otp' }]);
  });

  test('creates an unconfirmed account for a new address, if that is allowed', async () => {
    const [allowed, disallowed] = [newAddress(), newAddress()];
    expect((await ask(allowed, true)).error).toBeNull();
    expect((await ask(disallowed, false)).error).toMatchObject({
      status: 422,
      code: 'otp_disabled',
      message: 'Signups not allowed for otp',
    });
    const mail = await backend.mails.next(allowed);
    expect(await accountsOf(allowed)).toMatchObject([
      { email: allowed, identities: [{ provider: 'email' }] },
    ]);
    expect((await accountsOf(allowed))[0]?.email_confirmed_at).toBeUndefined();
    const { data } = await typeIn(backend, mail, { type: 'email' });
    expect(data.user).toMatchObject({ email: allowed, email_confirmed_at: expect.any(String) });
    expect(await accountsOf(disallowed)).toEqual([]);
  });

  test('a newer mail makes the older one void', async () => {
    const { email } = await newMember(backend);
    await ask(email);
    const older = await backend.mails.next(email);
    await ask(email);
    const newer = await backend.mails.next(email);
    expect((await follow(backend, older)).error?.code).toBe('otp_expired');
    expect((await follow(backend, newer)).error).toBeNull();
  });

  test('accepts one of several concurrent uses of a token', async () => {
    const { email } = await newMember(backend);
    await ask(email);
    const mail = await backend.mails.next(email);
    const outcomes = await Promise.all(
      [follow, typeIn, follow, typeIn, follow].map((way) => way(backend, mail)),
    );
    expect(outcomes.map(({ error }) => error?.code).sort()).toEqual([
      'otp_expired',
      'otp_expired',
      'otp_expired',
      'otp_expired',
      undefined,
    ]);
  });
});

describe('a password reset by mail', () => {
  const ask = (email: string) =>
    anonClient(backend).auth.resetPasswordForEmail(email, { redirectTo: `${SITE_URL}/reset-password` });

  test('signs in, and needs no old password', async () => {
    const { email, password } = await newMember(backend);
    const elsewhere = await signedIn(backend, { email, password });
    expect((await ask(email)).error).toBeNull();
    const mail = await backend.mails.next(email);
    expect(readLink(mail).type).toBe('recovery');
    const client = anonClient(backend);
    const { token_hash } = readLink(mail);
    expect((await client.auth.verifyOtp({ token_hash, type: 'recovery' })).error).toBeNull();
    expect((await client.auth.updateUser({ password: 'quite another one' })).error).toBeNull();
    expect((await elsewhere.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    expect((await client.auth.getUser()).error).toBeNull();
    await signedIn(backend, { email, password: 'quite another one' });
  });

  test('does not reveal whether there is an account', async () => {
    const { email } = await newMember(backend);
    expect(await ask(email)).toEqual(await ask(newAddress()));
  });
});

describe('an invalid token', () => {
  test.each(['signup', 'invite', 'magiclink', 'email', 'email_change'] as const)(
    'that of a recovery is refused as %s, and still works as itself',
    async (type) => {
      const { email } = await newMember(backend);
      await anonClient(backend).auth.resetPasswordForEmail(email);
      const mail = await backend.mails.next(email);
      expect((await follow(backend, mail, type)).error?.code).toBe('otp_expired');
      expect((await typeIn(backend, mail, { type })).error?.code).toBe('otp_expired');
      expect((await follow(backend, mail)).error).toBeNull();
    },
  );

  test("gets the same error for a wrong code, another person's code and an invented link", async () => {
    const [mine, other] = [await newMember(backend), await newMember(backend)];
    await anonClient(backend).auth.signInWithOtp({ email: mine.email });
    const mail = await backend.mails.next(mine.email);
    const wrong = String((Number(mail.code) + 1) % 1e8).padStart(8, '0');
    const refusals = [
      await typeIn(backend, mail, { token: wrong }),
      await typeIn(backend, mail, { email: other.email }),
      await typeIn(backend, mail, { email: newAddress() }),
      await follow(backend, {
        ...mail,
        link: `${SITE_URL}/auth/confirm?token_hash=${'0'.repeat(64)}&type=email`,
      }),
    ];
    for (const { error } of refusals) expect(error).toMatchObject({ code: 'otp_expired', status: 403 });
    expect((await typeIn(backend, mail)).error).toBeNull();
  });

  test.each([
    [{ type: 'email' }],
    [{ type: 'email', email: 'a@example.com' }],
    [{ type: 'email', token: '12345678' }],
    [{ type: 'email', email: 'a@example.com', token_hash: 'x' }],
    [{ type: 'nonsense', token_hash: 'x' }],
    [{ type: '__proto__', token_hash: 'x' }],
    [{ token_hash: 'x' }],
  ])('%j gets an error that names the missing field', async (body) => {
    const answer = await fetch(`${backend.url}/auth/v1/verify`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error_code: 'validation_failed' });
  });
});

describe('resending a mail', () => {
  const resend = (type: 'signup' | 'email_change', email: string) =>
    anonClient(backend).auth.resend({ type, email });

  test('sends a new link for a sign-up, and makes the old one void', async () => {
    const email = newAddress();
    await anonClient(backend).auth.signUp({ email, password: 'correct horse battery' });
    const first = await backend.mails.next(email);
    expect((await resend('signup', email)).error).toBeNull();
    const second = await backend.mails.next(email);
    expect((await follow(backend, first)).error?.code).toBe('otp_expired');
    expect((await follow(backend, second)).error).toBeNull();
  });

  test('answers everyone in the same way, and sends nothing if nothing is pending', async () => {
    const { email } = await newMember(backend);
    const answers = [
      await resend('signup', email),
      await resend('signup', newAddress()),
      await resend('email_change', email),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await anonClient(backend).auth.resetPasswordForEmail(email);
    expect(readLink(await backend.mails.next(email)).type).toBe('recovery');
  });

  test('is limited per client network, whatever the address', async () => {
    const { email } = await newMember(backend);
    const from = (address: string, to: string) =>
      fetch(`${backend.url}/auth/v1/recover`, {
        method: 'POST',
        headers: { ...backend.headers, apikey: backend.publishableKey, 'x-forwarded-for': address },
        body: JSON.stringify({ email: to }),
      });
    for (const to of [email, newAddress()]) {
      expect((await from('203.0.113.7', to)).status).toBe(200);
      const again = await from('203.0.113.7', to);
      expect(again.status).toBe(429);
      expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(await again.json()).toMatchObject({ error_code: 'over_email_send_rate_limit' });
      expect((await from('203.0.113.8', to)).status).toBe(200);
    }
  });
});

describe('the link of a mail to the backend', () => {
  test('redirects to the page without using the token', async () => {
    const { email } = await newMember(backend);
    await anonClient(backend).auth.signInWithOtp({ email });
    const mail = await backend.mails.next(email);
    const { token_hash } = readLink(mail);
    const open = (query: Record<string, string>, method = 'GET') =>
      fetch(`${backend.url}/auth/v1/verify?${new URLSearchParams(query)}`, { method, redirect: 'manual' });
    for (const method of ['GET', 'HEAD']) {
      const led = await open(
        { token: token_hash, type: 'magiclink', redirect_to: `${SITE_URL}/desk` },
        method,
      );
      expect(led.status).toBe(303);
      expect(led.headers.get('referrer-policy')).toBe('no-referrer');
      expect(led.headers.get('location')).toBe(
        `${SITE_URL}/auth/confirm?${new URLSearchParams({ token_hash, type: 'email', next: `${SITE_URL}/desk` })}`,
      );
    }
    const elsewhere = await open({ token_hash, type: 'recovery', redirect_to: 'https://evil.example/' });
    expect(elsewhere.headers.get('location')).toBe(
      `${SITE_URL}/auth/confirm?${new URLSearchParams({ token_hash, type: 'recovery' })}`,
    );
    expect((await follow(backend, mail)).error).toBeNull();
  });
});

test('without a mail server, calls that would send a mail are refused', async () => {
  const mute = await startBackend({ migrations: PROBE_SCHEMA });
  try {
    const { auth } = anonClient(mute);
    const email = newAddress();
    await auth.signUp({ email, password: 'correct horse battery' });
    const refused = await Promise.all([
      auth.signInWithOtp({ email }),
      auth.resetPasswordForEmail(email),
      auth.resend({ type: 'signup', email }),
      auth.updateUser({ email: newAddress() }),
    ]);
    expect(refused.map(({ error }) => [error?.status, error?.code])).toEqual(
      Array(4).fill([422, 'email_provider_disabled']),
    );
  } finally {
    await mute.stop();
  }
});
