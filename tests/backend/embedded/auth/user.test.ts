import { sql } from 'kysely';
import { describe, expect, onTestFinished } from 'vitest';
import { createSession } from '../../../../packages/embedded-supabase/src/auth/sessions.ts';
import { updateOwnUser } from '../../../../packages/embedded-supabase/src/auth/update-user.ts';
import { createUser } from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { anonClient, serviceClient } from '../../../support/backend.ts';
import { callOf, openAuthContext } from './context.ts';
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

const signIn = async (email: string, password: string) =>
  (await anonClient(backend).auth.signInWithPassword({ email, password })).error?.code;

/** Creates a signed-in person with a pending change of address, and its two mails. */
async function moving() {
  const member = await newMember(backend);
  const client = await signedIn(backend, member);
  const newEmail = newAddress();
  const { data, error } = await client.auth.updateUser({ email: newEmail });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email: member.email, new_email: newEmail });
  const [current, next] = [await backend.mails.next(member.email), await backend.mails.next(newEmail)];
  return { member, client, newEmail, current, next };
}

test('app_metadata is for the server only', async () => {
  const client = await signedIn(backend, await newMember(backend));
  const { data } = await client.auth.getSession();
  const answer = await fetch(`${backend.url}/auth/v1/user`, {
    method: 'PUT',
    headers: {
      apikey: backend.publishableKey,
      authorization: `Bearer ${data.session?.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ data: { name: 'x' }, app_metadata: { admin: true } }),
  });
  expect([answer.status, (await answer.json()).error_code]).toEqual([403, 'not_admin']);
  expect((await client.auth.getUser()).data.user?.user_metadata).not.toHaveProperty('name');
});

describe('a change of address', () => {
  test.each([
    ['the old one first', (a: string, b: string) => [a, b]],
    ['the new one first', (a: string, b: string) => [b, a]],
  ])('needs confirmation by both addresses, %s', async (_order, inOrder) => {
    const { member, client, newEmail, current, next } = await moving();
    const mails = { current, next };
    const [first, second] = inOrder('current', 'next') as (keyof typeof mails)[];
    if (!first || !second) throw new Error('The two mails have an order.');

    const half = await follow(backend, mails[first]);
    expect(half).toMatchObject({ data: { user: null, session: null }, error: null });
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: member.email,
      new_email: newEmail,
    });
    expect((await follow(backend, mails[first])).error?.code).toBe('otp_expired');
    expect(await signIn(newEmail, member.password)).toBe('invalid_credentials');

    const whole = await follow(backend, mails[second]);
    expect(whole.error).toBeNull();
    expect(whole.data.user).toMatchObject({
      id: member.id,
      email: newEmail,
      user_metadata: { email_verified: true },
      identities: [{ email: newEmail, identity_data: { email: newEmail, email_verified: true } }],
    });
    expect(whole.data.user?.new_email).toBeUndefined();
    expect(await signIn(newEmail, member.password)).toBeUndefined();
    expect(await signIn(member.email, member.password)).toBe('invalid_credentials');
  });

  test('leads to the requested page of the site afterwards', async () => {
    const next = async (emailRedirectTo?: string) => {
      const client = await signedIn(backend, await newMember(backend));
      const email = newAddress();
      await client.auth.updateUser({ email }, { emailRedirectTo });
      return readLink(await backend.mails.next(email)).next;
    };
    expect(await next(`${SITE_URL}/account?tab=mail`)).toBe(`${SITE_URL}/account?tab=mail`);
    expect(await next('https://evil.example/')).toBe(await next());
  });

  test('is made once when both confirm at the same time', async () => {
    const { member, newEmail, current, next } = await moving();
    const both = await Promise.all([follow(backend, current), follow(backend, next)]);
    expect(both.map(({ error }) => error)).toEqual([null, null]);
    expect(both.filter(({ data }) => data.session !== null)).toHaveLength(1);
    expect(await signIn(newEmail, member.password)).toBeUndefined();
  });

  test('needs new confirmations after it was started again', async () => {
    const { client, newEmail, current, next } = await moving();
    await follow(backend, current);
    const other = newAddress();
    expect((await client.auth.updateUser({ email: other })).error).toBeNull();
    expect((await follow(backend, next)).error?.code).toBe('otp_expired');
    const half = await follow(backend, await backend.mails.next(other));
    expect(half).toMatchObject({ data: { session: null }, error: null });
    expect(await signIn(newEmail, 'correct horse battery')).toBe('invalid_credentials');
  });

  test('can be resent to both addresses, which makes the old mails void', async () => {
    const { member, newEmail, current, next } = await moving();
    await anonClient(backend).auth.resend({ type: 'email_change', email: member.email });
    const again = [await backend.mails.next(member.email), await backend.mails.next(newEmail)];
    for (const old of [current, next]) expect((await follow(backend, old)).error?.code).toBe('otp_expired');
    for (const mail of again) expect((await follow(backend, mail)).error).toBeNull();
    expect(await signIn(newEmail, member.password)).toBeUndefined();
  });

  test('is refused for an existing address, also when it was created meanwhile', async () => {
    const other = await newMember(backend);
    const { client, newEmail, current, next } = await moving();
    expect((await client.auth.updateUser({ email: other.email })).error?.code).toBe('email_exists');
    expect((await follow(backend, current)).error).toBeNull();
    await newMember(backend, { email: newEmail });
    expect((await follow(backend, next)).error?.code).toBe('email_exists');
    expect((await client.auth.getUser()).error).toBeNull();
  });

  test('makes earlier mails to the old address void', async () => {
    const { member, current, next } = await moving();
    await anonClient(backend).auth.resetPasswordForEmail(member.email);
    const recovery = await backend.mails.next(member.email);
    await follow(backend, current);
    await follow(backend, next);
    expect((await follow(backend, recovery)).error?.code).toBe('otp_expired');
    expect((await typeIn(backend, recovery)).error?.code).toBe('otp_expired');
  });

  test('accepts a code only for the address that it was sent to', async () => {
    const { email } = await newMember(backend);
    const newEmail = newAddress();
    const codes = [];
    for (const type of ['email_change_current', 'email_change_new'] as const) {
      const made = await serviceClient(backend).auth.admin.generateLink({ type, email, newEmail });
      codes.push(made.data.properties?.email_otp ?? '');
    }
    const [current = '', next = ''] = codes;
    const typeIn = (address: string, token: string) =>
      anonClient(backend).auth.verifyOtp({ email: address, token, type: 'email_change' });
    expect((await typeIn(newEmail, current)).error?.code).toBe('otp_expired');
    expect((await typeIn(email, next)).error?.code).toBe('otp_expired');
    expect((await typeIn(email, current)).error).toBeNull();
    expect((await typeIn(newEmail, next)).data.user).toMatchObject({ email: newEmail });
  });
});

describe('a change of password', () => {
  /** The new and the current password of a member. */
  const another = ({ password }: { password: string }) => ({
    password: 'quite another one',
    current_password: password,
  });

  test('needs the current password', async () => {
    const member = await newMember(backend);
    const client = await signedIn(backend, member);
    const password = 'quite another one';
    const { error } = await client.auth.updateUser({ password, data: { name: 'Ada' } });
    expect(error).toMatchObject({ status: 400, code: 'current_password_required' });
    const wrong = await client.auth.updateUser({ password, current_password: 'not the old one' });
    expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_mismatch' });
    expect((await client.auth.getUser()).data.user?.user_metadata.name).toBeUndefined();
    expect(await signIn(member.email, password)).toBe('invalid_credentials');
    expect(await signIn(member.email, member.password)).toBeUndefined();
  });

  test('needs it again an hour after signing in by mail', async () => {
    const context = await openAuthContext();
    onTestFinished(() => context.close());
    const { db } = context.restApi;
    const user = await createUser(db, { email: 'old@example.com', passwordHash: undefined, confirmed: true });
    if (!user) throw new Error('A new address creates an account.');
    const session = await createSession(db, user.id, 'otp', callOf({}).client);
    const caller = { user, sessionId: session.id };
    const call = callOf({ password: 'quite another one' });
    await sql`update auth.mfa_amr_claims set created_at = now() - interval '61 minutes'`.execute(db);
    await expect(updateOwnUser(context, caller, call)).rejects.toMatchObject({
      code: 'current_password_required',
    });
    await sql`update auth.mfa_amr_claims set created_at = now() - interval '59 minutes'`.execute(db);
    await expect(updateOwnUser(context, caller, call)).resolves.toMatchObject({ id: user.id });
  });

  test('ends the other sessions, and makes earlier mails void', async () => {
    const member = await newMember(backend);
    const [here, there] = [await signedIn(backend, member), await signedIn(backend, member)];
    await anonClient(backend).auth.resetPasswordForEmail(member.email);
    const recovery = await backend.mails.next(member.email);
    const refresh_token = (await there.auth.getSession()).data.session?.refresh_token ?? '';

    expect((await here.auth.updateUser(another(member))).error).toBeNull();
    expect((await here.auth.getUser()).error).toBeNull();
    expect((await here.auth.refreshSession()).error).toBeNull();
    expect((await there.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    const refreshed = await anonClient(backend).auth.refreshSession({ refresh_token });
    expect(refreshed.error?.code).toBe('refresh_token_not_found');
    expect((await follow(backend, recovery)).error?.code).toBe('otp_expired');
    expect(await signIn(member.email, member.password)).toBe('invalid_credentials');
    expect(await signIn(member.email, 'quite another one')).toBeUndefined();
  });

  test('cancels a pending change of address', async () => {
    const { member, client, current, next } = await moving();
    const { data } = await client.auth.updateUser(another(member));
    expect(data.user?.new_email).toBeUndefined();
    for (const mail of [current, next]) expect((await follow(backend, mail)).error?.code).toBe('otp_expired');
    await anonClient(backend).auth.resend({ type: 'email_change', email: member.email });
    await anonClient(backend).auth.resetPasswordForEmail(member.email);
    expect(readLink(await backend.mails.next(member.email)).type).toBe('recovery');
  });

  test('is refused for an equal or weak password, together with other changes', async () => {
    const member = await newMember(backend);
    const client = await signedIn(backend, member);
    const change = async (password: string) =>
      (await client.auth.updateUser({ ...another(member), password, data: { name: 'Ada' } })).error?.code;
    expect(await change(member.password)).toBe('same_password');
    expect(await change('too short')).toBe('weak_password');
    expect(await change('')).toBe('weak_password');
    expect(await change(member.email)).toBe('weak_password');
    expect((await client.auth.getUser()).data.user?.user_metadata.name).toBeUndefined();
    expect(await signIn(member.email, member.password)).toBeUndefined();
  });
});

test('metadata is changed by key, and null removes a key', async () => {
  const client = await signedIn(backend, await newMember(backend));
  await client.auth.updateUser({ data: { name: 'Ada', town: 'Hull' } });
  const { data } = await client.auth.updateUser({ data: { town: null, '<b>': { deep: null } } });
  expect(data.user?.user_metadata).toMatchObject({ name: 'Ada', '<b>': { deep: null } });
  expect(data.user?.user_metadata).not.toHaveProperty('town');
  expect((await client.auth.getUser()).data.user?.user_metadata).toEqual(data.user?.user_metadata);
});

test('metadata is limited to what a token can carry, also in several steps', async () => {
  const client = await signedIn(backend, await newMember(backend));
  const more = async (data: object) => (await client.auth.updateUser({ data })).error?.code;
  expect(await more({ all: 'x'.repeat(2100) })).toBe('validation_failed');
  expect(await more({ half: 'x'.repeat(1200) })).toBeUndefined();
  expect(await more({ rest: 'x'.repeat(1200) })).toBe('validation_failed');
  expect((await client.auth.getUser()).data.user?.user_metadata).not.toHaveProperty('rest');

  const stranger = { email: newAddress(), options: { data: { all: 'x'.repeat(2100) } } };
  const { auth } = anonClient(backend);
  expect((await auth.signUp({ password: 'correct horse battery', ...stranger })).error?.code).toBe(
    'validation_failed',
  );
  expect((await auth.signInWithOtp(stranger)).error?.code).toBe('validation_failed');
});
