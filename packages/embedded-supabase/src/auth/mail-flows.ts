import { type AuthCall, type AuthContext, runAfterResponse } from './context.ts';
import { AuthError, phoneDisabled, validationFailed } from './errors.ts';
import { checkEmail } from './input.ts';
import { mailToken, requireMailer } from './one-time-tokens.ts';
import { mailSignIn, storeSignUp } from './sign-up.ts';
import { resendEmailChange } from './update-user.ts';
import { findUser, hasAccount } from './users.ts';

/*
 * Mails that anonymous callers may request. Each response is sent before the work begins (runAfterResponse), and is the
 * same for every address, except that of `otp` without `create_user`.
 */

/**
 * `POST /otp`: mails a link and a code to sign in. Creates an account unless `create_user` is false. Then GoTrue refuses
 * an unknown address, after the same work as for a known one.
 */
export async function signInWithOtp(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, data, createUser: mayCreate } = call.body;
  if (phone && email) throw validationFailed('Only an email address or phone number should be provided');
  if (phone) throw phoneDisabled('Unsupported phone provider');
  if (!email) throw validationFailed('One of email or phone must be set');
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail('magic_link', email, call.client.address);
  if (!mayCreate) {
    if (!(await hasAccount(context.restApi.db, email))) {
      throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp');
    }
    context.backgroundJobs.begin(() => mailSignIn(context, email, call.redirectTo));
    return {};
  }
  const createsAccount = context.config.auth.signUpEnabled && context.config.auth.email.signUpEnabled;
  if (createsAccount) {
    context.limits.takeSignUp(call.client.address);
    await storeSignUp(context, call, { email, data: data ?? {}, passwordHash: null });
  } else {
    await runAfterResponse(context, () => mailSignIn(context, email, call.redirectTo));
  }
  return {};
}

/** `POST /recover`: mails a link and a code to choose a new password. */
export async function resetPasswordForEmail(context: AuthContext, call: AuthCall): Promise<object> {
  const { email } = call.body;
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail('recovery', email, call.client.address);
  await runAfterResponse(context, async () => {
    const user = await findUser(context.restApi.db, { email });
    if (!user) return;
    await mailToken(
      context,
      'recovery',
      { userId: user.id, type: 'recovery', address: email },
      call.redirectTo,
    );
  });
  return {};
}

/** `POST /resend`: sends the mail of a sign-up or of a change of address again. */
export async function resend(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, type } = call.body;
  if (phone || type === 'sms' || type === 'phone_change') throw phoneDisabled('Phone logins are disabled');
  if (type !== 'signup' && type !== 'email_change') {
    throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change');
  }
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail(type === 'signup' ? 'confirmation' : 'email_change', email, call.client.address);
  await runAfterResponse(context, async () => {
    const user = await findUser(context.restApi.db, { email });
    if (type === 'email_change' && user?.email_change) {
      await resendEmailChange(context, user.id, call.redirectTo);
    }
    if (type === 'signup' && user && !user.email_confirmed_at) {
      const subject = { userId: user.id, type, address: email } as const;
      await mailToken(context, 'confirmation', subject, call.redirectTo);
    }
  });
  return {};
}
