import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  anonClient,
  serviceClient,
  signUp,
  startBackend,
  type TestBackend,
} from '../../../support/backend.ts';
import { type MailServer, startMailServer } from '../../../support/mail.ts';
import { openMailedLink } from '../../../support/sign-in.ts';
import { PROBE_SCHEMA } from '../probe.ts';
import { newAddress, PASSWORD } from './mailing.ts';

const REFUSED = 'nobody-takes-this@example.com';

let mails: MailServer;
let backend: TestBackend;
let admin: SupabaseClient['auth']['admin'];
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo({ address }, _session, done) {
      done(address === REFUSED ? new Error('550 no such mailbox') : undefined);
    },
  });
  backend = await startBackend({
    migrations: PROBE_SCHEMA,
    environment: { SITE_URL: 'https://news.example', ...mails.environment },
  });
  admin = serviceClient(backend).auth.admin;
});
afterAll(async () => {
  await backend.stop();
  await mails.stop();
});

describe('an invite', () => {
  test('is mailed, and its receiver chooses a password', async () => {
    const email = newAddress();
    const { data, error } = await admin.inviteUserByEmail(email.toUpperCase(), { data: { desk: 'night' } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email,
      invited_at: expect.any(String),
      confirmation_sent_at: expect.any(String),
      user_metadata: { desk: 'night' },
    });
    expect(data.user?.email_confirmed_at).toBeUndefined();

    const { client, data: accepted } = await openMailedLink(backend, (await mails.next(email)).link);
    expect(accepted.user?.id).toBe(data.user?.id);
    expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
    const { error: wrong } = await anonClient(backend).auth.signInWithPassword({ email, password: PASSWORD });
    expect(wrong).toBeNull();
  });

  test('sent again is a new link for the same account, and the earlier one is void', async () => {
    const email = newAddress();
    const first = await admin.inviteUserByEmail(email);
    const second = await admin.inviteUserByEmail(email);
    expect(second.data.user?.id).toBe(first.data.user?.id);
    const [old, current] = [await mails.next(email), await mails.next(email)];
    expect((await openMailedLink(backend, old.link)).error?.code).toBe('otp_expired');
    expect((await openMailedLink(backend, current.link)).error).toBeNull();
    expect((await openMailedLink(backend, current.link)).error?.code).toBe('otp_expired');
  });

  test('is refused for an existing account', async () => {
    const email = newAddress();
    await admin.createUser({ email, email_confirm: true });
    const { data, error } = await admin.inviteUserByEmail(email);
    expect([data.user, error?.status, error?.code]).toEqual([null, 422, 'email_exists']);
    expect(mails.delivered.filter(({ to }) => to.includes(email))).toEqual([]);
  });

  test('replaces the password of an account that was never confirmed', async () => {
    const email = newAddress();
    await anonClient(backend).auth.signUp({ email, password: PASSWORD });
    const signedUp = await mails.next(email);
    await admin.inviteUserByEmail(email);
    expect((await openMailedLink(backend, (await mails.next(email)).link)).error).toBeNull();
    const stranger = await anonClient(backend).auth.signInWithPassword({ email, password: PASSWORD });
    expect(stranger.error?.code).toBe('invalid_credentials');
    expect((await openMailedLink(backend, signedUp.link)).error?.code).toBe('otp_expired');
  });

  test.each([
    '',
    'ada',
    'a@b@c',
    'ada@example.com\r\nBcc: eve@example.com',
    `${'a'.repeat(250)}@example.com`,
  ])('to %j is refused', async (email) => {
    const { error } = await admin.inviteUserByEmail(email);
    expect([error?.status, error?.code]).toEqual([400, 'validation_failed']);
  });

  test('that the mail server refuses returns an error, and can be passed on as a link', async () => {
    const { error } = await admin.inviteUserByEmail(REFUSED);
    expect(error).toMatchObject({ status: 500, name: 'AuthRetryableFetchError' });
    const { data } = await admin.generateLink({ type: 'invite', email: REFUSED });
    expect((await openMailedLink(backend, data.properties?.action_link ?? '')).error).toBeNull();
  });
});

test('is refused without a mail server', async () => {
  const mute = await startBackend({ migrations: PROBE_SCHEMA });
  const { auth } = serviceClient(mute);
  const email = newAddress();
  const { error } = await auth.admin.inviteUserByEmail(email);
  expect([error?.status, error?.code]).toEqual([422, 'email_provider_disabled']);
  expect((await auth.admin.listUsers()).data.users).toEqual([]);
  expect((await signUp(mute, { email })).user.email).toBe(email);
  await mute.stop();
});
