import { expect, onTestFinished, test } from 'vitest';
import { signInWithPassword } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import { signUpWithPassword } from '../../../../packages/embedded-supabase/src/auth/sign-up.ts';
import { callOf, openAuthContext } from './context.ts';
import { newAddress } from './mailing.ts';

test('without sign-ups by e-mail, accounts are refused by the general code and can sign in', async () => {
  const context = await openAuthContext();
  onTestFinished(() => context.close());
  const { auth } = context.config;
  const closed = {
    ...context,
    config: { ...context.config, auth: { ...auth, email: { ...auth.email, signUpEnabled: false } } },
  };
  const call = callOf({ email: newAddress(), password: 'correct horse battery' });
  await signUpWithPassword(context, call);

  const other = callOf({ email: newAddress(), password: 'correct horse battery' });
  await expect(signUpWithPassword(closed, other)).rejects.toMatchObject({ code: 'signup_disabled' });
  expect(await signInWithPassword(closed, call)).toMatchObject({ access_token: expect.any(String) });
});

test('a sign-in with a password that is too short by now says so', async () => {
  const context = await openAuthContext();
  onTestFinished(() => context.close());
  const call = callOf({ email: newAddress(), password: 'correct horse battery' });
  await signUpWithPassword(context, call);
  expect(await signInWithPassword(context, call)).toMatchObject({ weak_password: null });

  const stricter = {
    ...context,
    config: { ...context.config, auth: { ...context.config.auth, minimumPasswordLength: 40 } },
  };
  expect(await signInWithPassword(stricter, call)).toMatchObject({
    access_token: expect.any(String),
    weak_password: { message: expect.any(String), reasons: ['length'] },
  });
});
