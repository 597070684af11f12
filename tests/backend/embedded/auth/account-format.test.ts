import { describe, expect } from 'vitest';
import { anonClient, serviceClient, type TestBackend } from '../../../support/backend.ts';
import { test } from '../probe.ts';
import { newAddress, PASSWORD } from './mailing.ts';

/* Accounts and sessions have the fields and values of GoTrue. */

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

const admin = () => serviceClient(backend).auth.admin;

/** Seconds since an ISO time. */
const age = (time: string | undefined) => (Date.now() - Date.parse(time ?? '')) / 1000;

test('a sign-up without confirmation and a sign-in return the time of this sign-in', async () => {
  const email = newAddress();
  const signedUp = await anonClient(backend).auth.signUp({ email, password: PASSWORD });
  expect(age(signedUp.data.user?.last_sign_in_at)).toBeLessThan(60);
  expect(age(signedUp.data.user?.identities?.[0]?.last_sign_in_at)).toBeLessThan(60);
  const signedIn = await anonClient(backend).auth.signInWithPassword({ email, password: PASSWORD });
  const { user, session } = signedIn.data;
  expect(Date.parse(user?.last_sign_in_at ?? '')).toBeGreaterThan(
    Date.parse(signedUp.data.user?.last_sign_in_at ?? ''),
  );
  const { data } = await anonClient(backend).auth.getUser(session?.access_token);
  expect(data.user?.last_sign_in_at).toBe(user?.last_sign_in_at);
});

describe('the metadata of an account', () => {
  const user_metadata = { display_name: 'Ada', email: 'of the newsroom' };

  test('is what the server has given, and says whether the address is confirmed', async () => {
    const confirmed = await admin().createUser({ email: newAddress(), user_metadata, email_confirm: true });
    expect(confirmed.data.user?.user_metadata).toEqual({ ...user_metadata, email_verified: true });
    const email = newAddress();
    const { data } = await admin().createUser({ email, user_metadata: { display_name: 'Ben' } });
    expect(data.user).toMatchObject({
      user_metadata: { display_name: 'Ben' },
      identities: [
        { identity_data: { email, email_verified: false, phone_verified: false, sub: data.user?.id } },
      ],
    });
    expect(Object.keys(data.user?.user_metadata ?? {})).toEqual(['display_name']);
    const later = await admin().updateUserById(data.user?.id ?? '', { email_confirm: true });
    expect(later.data.user?.user_metadata).toEqual({ display_name: 'Ben', email_verified: true });
  });

  test('contains the keys of the identity after a sign-up', async () => {
    const email = newAddress();
    const options = { data: { display_name: 'Ada' } };
    const { data } = await anonClient(backend).auth.signUp({ email, password: PASSWORD, options });
    expect(data.user?.user_metadata).toEqual({
      display_name: 'Ada',
      email,
      email_verified: true,
      phone_verified: false,
      sub: data.user?.id,
    });
  });
});

test('times are in UTC and end in Z', async () => {
  const email = newAddress();
  const { data } = await admin().createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    ban_duration: '1h',
  });
  const times = JSON.stringify(data.user).match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
  expect(times.length).toBeGreaterThan(5);
  expect(times.filter((time) => !/T\d\d:\d\d:\d\d(\.\d{1,9})?Z"$/.test(time))).toEqual([]);
});
