import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueToken } from '../../../../packages/embedded-supabase/src/auth/one-time-tokens.ts';
import { createSession, endSessions } from '../../../../packages/embedded-supabase/src/auth/sessions.ts';
import { verifyOtp } from '../../../../packages/embedded-supabase/src/auth/sign-in.ts';
import { updateOwnUser } from '../../../../packages/embedded-supabase/src/auth/update-user.ts';
import {
  createUser,
  findUser,
  hashPassword,
  updateUser,
} from '../../../../packages/embedded-supabase/src/auth/users.ts';
import { callOf, openAuthContext } from './context.ts';
import { newAddress, PASSWORD } from './mailing.ts';

/* State that changes between the check of a call and its write. */

let context: Awaited<ReturnType<typeof openAuthContext>>;
beforeAll(async () => {
  context = await openAuthContext();
});
afterAll(() => context.close());

async function newUser() {
  const passwordHash = await hashPassword(PASSWORD);
  const user = await createUser(context.restApi.db, { email: newAddress(), passwordHash, confirmed: true });
  if (!user?.email) throw new Error('A new address creates an account.');
  return { ...user, email: user.email };
}

test('a session that ended meanwhile cannot change the password', async () => {
  const user = await newUser();
  const device = { userAgent: undefined, address: undefined };
  const session = await createSession(context.restApi.db, user.id, 'password', device);
  await endSessions(context.restApi.db, user.id);
  const call = callOf({ password: 'quite another one', currentPassword: PASSWORD });
  const late = updateOwnUser(context, { user, sessionId: session.id }, call);
  await expect(late).rejects.toMatchObject({ status: 403, code: 'session_not_found' });
  expect((await findUser(context.restApi.db, user))?.encrypted_password).toBe(user.encrypted_password);
});

test('a token is valid only for the address that it was sent to', async () => {
  const user = await newUser();
  const issue = (type: 'recovery' | 'email_change_current' | 'email_change_new', address: string) =>
    issueToken(context, context.restApi.db, { userId: user.id, type, address });
  const tokens = [
    ['recovery', await issue('recovery', user.email)],
    ['email_change', await issue('email_change_current', user.email)],
    ['email_change', await issue('email_change_new', 'an earlier choice')],
  ] as const;
  await updateUser(context.restApi.db, user.id, { email: newAddress(), email_change: newAddress() });
  for (const [type, { tokenHash }] of tokens) {
    await expect(verifyOtp(context, callOf({ type, tokenHash }))).rejects.toMatchObject({
      code: 'otp_expired',
    });
  }
});
