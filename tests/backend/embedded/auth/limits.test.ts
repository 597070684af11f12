import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAuthLimits } from '../../../../packages/embedded-supabase/src/auth/context.ts';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { mailboxOf } from '../../../support/mail.ts';
import { PROBE_SCHEMA } from '../probe.ts';

const MINUTE = 60_000;

describe('mails', async () => {
  const config = await readConfig();
  const PAUSE = config.auth.email.maxFrequency * 1000;

  function openLimits() {
    const clock = { now: 0 };
    const limits = openAuthLimits(config, () => clock.now);
    /** @returns 0, or the seconds to wait */
    const mail = (...asked: Parameters<typeof limits.takeMail>): number => {
      try {
        limits.takeMail(...asked);
        return 0;
      } catch (error) {
        expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
        return (error as { details: { retryAfter: number } }).details.retryAfter;
      }
    };
    return { clock, mail };
  }

  test('of one kind need a pause, per account and client network', () => {
    const { clock, mail } = openLimits();
    const ada = () => mail('recovery', 'ada@example.com', '203.0.113.1');
    expect([ada(), ada()]).toEqual([0, PAUSE / 1000]);
    expect(mail('magic_link', 'ada@example.com', '203.0.113.1')).toBe(0);
    expect(mail('recovery', 'bob@example.com', '203.0.113.1')).toBe(0);
    expect(mail('recovery', 'ada@example.com', '203.0.113.2')).toBe(0);
    clock.now = PAUSE - 1;
    expect(ada()).toBeCloseTo(0.001);
    clock.now = PAUSE;
    expect(ada()).toBe(0);
  });

  test('are limited to five an hour per account and client network', () => {
    const { clock, mail } = openLimits();
    const ada = (line: string) => mail('recovery', 'ada@example.com', line);
    for (let i = 0; i < 5; i++) {
      clock.now = i * MINUTE;
      expect(ada('203.0.113.1')).toBe(0);
    }
    clock.now = 10 * MINUTE;
    expect(ada('203.0.113.1')).toBe(50 * 60);
    expect(mail('magic_link', 'ada@example.com', '203.0.113.1')).toBe(50 * 60);
    expect(ada('203.0.113.2')).toBe(0);
    clock.now = 60 * MINUTE;
    expect(ada('203.0.113.1')).toBe(0);
  });

  test('are limited to thirty an hour per client network, without counting refused ones', () => {
    const { clock, mail } = openLimits();
    const nth = (n: number) => mail('magic_link', `person${n}@example.com`, '2001:db8:0:1::7');
    expect(Array.from({ length: 30 }, (_, n) => nth(n))).toEqual(Array(30).fill(0));
    expect(nth(30)).toBe(3600);
    // Another address of the same network.
    expect(mail('magic_link', 'ada@example.com', '2001:db8:0:1:ffff::1')).toBe(3600);
    expect(mail('magic_link', 'ada@example.com', '2001:db8:0:2::7')).toBe(0);
    clock.now = 60 * MINUTE;
    expect(nth(30)).toBe(0);
  });

  test('are not limited for this machine', () => {
    const { mail } = openLimits();
    const all = Array.from({ length: 50 }, () => mail('recovery', 'ada@example.com', undefined));
    expect(all).toEqual(Array(50).fill(0));
  });
});

describe('over HTTP', () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await startBackend({
      migrations: PROBE_SCHEMA,
      environment: { EMBEDDED_SUPABASE_MAILBOX: 'on' },
    });
  });
  afterAll(() => backend.stop());

  let lines = 0;
  /** Returns a client in a new network. X-Forwarded-For contains its address, as behind a reverse proxy. */
  const stranger = () => {
    const headers = { ...backend.headers, 'x-forwarded-for': `203.0.113.${++lines}` };
    let retryAfter = Number.NaN;
    const client = createClient(backend.url, backend.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: {
        headers,
        async fetch(input, init) {
          const response = await fetch(input, init);
          retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
          return response;
        },
      },
    });
    return { auth: client.auth, retryAfter: () => retryAfter };
  };

  async function newPerson() {
    const { admin } = serviceClient(backend).auth;
    const email = `person${++lines}@example.com`;
    await admin.createUser({ email, email_confirm: true, password: 'correct horse battery' });
    const { data } = await admin.generateLink({ type: 'magiclink', email });
    return { email, token: data.properties?.email_otp ?? '' };
  }
  const wrong = (token: string) => (token === '00000000' ? '11111111' : '00000000');

  test('refuses ten wrong codes for an account, then also the right one for some time', async () => {
    const { email, token } = await newPerson();
    const guesser = stranger();
    const guess = (code: string) => guesser.auth.verifyOtp({ email, token: code, type: 'email' });
    for (let i = 0; i < 10; i++) expect((await guess(wrong(token))).error?.code).toBe('otp_expired');
    const { error } = await guess(token);
    expect([error?.status, error?.code]).toEqual([429, 'over_request_rate_limit']);
    expect(guesser.retryAfter()).toBeGreaterThan(14 * 60);
    expect(guesser.retryAfter()).toBeLessThanOrEqual(15 * 60);

    // Another account from that network, and that account from another network.
    const other = await newPerson();
    expect((await guesser.auth.verifyOtp({ ...other, type: 'email' })).error).toBeNull();
    expect((await stranger().auth.verifyOtp({ email, token, type: 'email' })).error).toBeNull();
  });

  test('counts concurrent wrong codes', async () => {
    const { email, token } = await newPerson();
    const { auth } = stranger();
    const guesses = Array.from({ length: 30 }, () =>
      auth.verifyOtp({ email, token: wrong(token), type: 'email' }),
    );
    const codes = (await Promise.all(guesses)).map(({ error }) => error?.code);
    expect(codes.filter((code) => code === 'otp_expired')).toHaveLength(10);
    expect(codes.filter((code) => code === 'over_request_rate_limit')).toHaveLength(20);
  });

  test('does not count right codes', async () => {
    const { auth } = stranger();
    const { email } = await newPerson();
    for (let i = 0; i < 12; i++) {
      const { data } = await serviceClient(backend).auth.admin.generateLink({ type: 'magiclink', email });
      const { error } = await auth.verifyOtp({
        email,
        token: data.properties?.email_otp ?? '',
        type: 'email',
      });
      expect(error).toBeNull();
    }
  });

  test('refuses a second mail in the same way with and without an account', async () => {
    const { email } = await newPerson();
    for (const address of [email, `nobody${++lines}@example.com`]) {
      const visitor = stranger();
      const ask = () => visitor.auth.resetPasswordForEmail(address);
      expect((await ask()).error).toBeNull();
      const { error } = await ask();
      expect([error?.status, error?.code]).toEqual([429, 'over_email_send_rate_limit']);
      expect(visitor.retryAfter()).toBeGreaterThan(50);
      expect(visitor.retryAfter()).toBeLessThanOrEqual(60);
      expect((await stranger().auth.resetPasswordForEmail(address)).error).toBeNull();
    }
  });

  test('counts every call that sends a mail', async () => {
    const { email } = await newPerson();
    const visitor = stranger();
    const { auth } = visitor;
    await auth.signInWithPassword({ email, password: 'correct horse battery' });
    const newcomer = { email: `new${++lines}@example.com`, password: 'correct horse battery' };
    const calls = [
      () => auth.signInWithOtp({ email }),
      () => auth.resetPasswordForEmail(email),
      () => auth.updateUser({ email: `moved${++lines}@example.com` }),
      () => auth.signUp(newcomer),
      () => auth.resend({ type: 'signup', email: newcomer.email }),
    ];
    const codes = [];
    for (const call of calls) codes.push([(await call()).error?.code, (await call()).error?.code]);
    expect(codes).toEqual([
      ...Array(4).fill([undefined, 'over_email_send_rate_limit']),
      Array(2).fill('over_email_send_rate_limit'),
    ]);
    // The mails of allowed calls were sent.
    const mails = mailboxOf(backend.url);
    expect((await mails.next(newcomer.email)).code).toMatch(/^\d{8}$/);
  });

  test('does not limit this machine', async () => {
    const { auth } = anonClient(backend);
    const { email } = await newPerson();
    for (let i = 0; i < 12; i++) {
      expect((await auth.resetPasswordForEmail(email)).error).toBeNull();
      expect((await auth.verifyOtp({ email, token: '12345678', type: 'recovery' })).error?.code).toBe(
        'otp_expired',
      );
    }
  });
});
