import { randomUUID } from 'node:crypto';
import { type AuthCall, type AuthContext, afterResponse } from './context.ts';
import { AuthError, validationFailed } from './errors.ts';
import { checkEmail } from './input.ts';
import { confirms, issueForMail, type OneTimeToken } from './one-time-tokens.ts';
import { beginSession, sessionResponse } from './sessions.ts';
import { type Db, jsonParameter } from './tables.ts';
import {
  checkPassword,
  createUser,
  findUser,
  hashPassword,
  isPassword,
  ownData,
  type User,
  type UserData,
  updateUser,
} from './users.ts';

type SignUp = { email: string; password: string; passwordHash: string; data: UserData };

/** `POST /signup`: an account by password. */
export async function signUpWithPassword(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, password, data = {} } = call.body;
  if (!context.config.auth.signUp || !context.config.auth.email.signUp) {
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  context.limits.signUp(call.device.address);
  checkEmail(email);
  if (!password) throw validationFailed('Signup requires a valid password');
  checkPassword(context, password, email);
  const needsConfirmation = confirms(context);
  if (needsConfirmation) context.limits.mail('confirmation', email, call.device.address);

  const request = { email, data, password, passwordHash: await hashPassword(password) };
  return needsConfirmation
    ? signUpUnconfirmed(context, call, request)
    : signUpConfirmed(context, call, request);
}

/** Without a mailer the address counts as confirmed. */
async function signUpConfirmed(context: AuthContext, call: AuthCall, request: SignUp): Promise<object> {
  const { user, session } = await context.lite.db.transaction().execute(async (tx) => {
    const user = await createUser(tx, { ...request, confirmed: true });
    if (!user) throw new AuthError(422, 'user_already_exists', 'User already registered');
    return { user, session: await beginSession(context, tx, user.id, 'password', call.device) };
  });
  return await sessionResponse(context, user, session);
}

/** Every caller gets the same response, with an invented account. The work happens after it. */
async function signUpUnconfirmed(context: AuthContext, call: AuthCall, request: SignUp): Promise<object> {
  await afterResponse(context, async () => {
    const token = await storeSignUp(context, request);
    if (!token) return;
    const { email } = request;
    await context.mailer.send('confirmation', {
      to: email,
      email,
      redirectTo: call.redirectTo,
      ...token,
    });
  });
  return pendingAnswer(request);
}

/** @returns undefined if the address is registered; the caller is not told */
async function storeSignUp(context: AuthContext, request: SignUp): Promise<OneTimeToken | undefined> {
  // Passwords take their time, so they are compared before the transaction, and again if there is another by then.
  for (;;) {
    const known = await findUser(context.lite.db, request);
    const isKnown = known !== undefined && (await isPassword(request.password, known));
    const kept = await context.lite.db.transaction().execute(async (tx) => {
      const made = known ? undefined : await createUser(tx, { ...request, confirmed: false });
      const user = made ?? (await findUser(tx, request, { lock: true }));
      if (!user || user.email_confirmed_at) return {};
      if (!made) {
        if (user.encrypted_password !== known?.encrypted_password) return undefined;
        await renewSignUp(tx, user, request.data, isKnown);
      }
      const { email } = request;
      return { token: await issueForMail(context, tx, { userId: user.id, type: 'signup', address: email }) };
    });
    if (kept) return kept.token;
  }
}

/**
 * A stranger may have registered an unconfirmed address before. So no password counts, unless both calls had the same one:
 * the person who confirms the address chooses one by mail.
 */
async function renewSignUp(
  tx: Db,
  { id, email }: User,
  data: UserData,
  samePassword: boolean,
): Promise<void> {
  await updateUser(tx, id, {
    ...(!samePassword && { encrypted_password: null }),
    raw_user_meta_data: jsonParameter({ ...data, ...ownData(id, email ?? '', false) }),
  });
}

/**
 * GoTrue marks a known address by an empty list of identities. Here the list is always empty and the id is
 * invented.
 */
function pendingAnswer({ email, data }: SignUp) {
  const at = new Date().toISOString();
  return {
    id: randomUUID(),
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    confirmation_sent_at: at,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: data,
    identities: [],
    created_at: at,
    updated_at: at,
    is_anonymous: false,
  };
}
