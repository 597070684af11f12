import type { AuthCall, AuthContext, AuthenticatedCaller } from './context.ts';
import { AuthError, otpExpired, phoneDisabled, validationFailed } from './errors.ts';
import {
  type ConsumedToken,
  consumeToken,
  deleteTokens,
  type OtpCredential,
  type TokenType,
} from './one-time-tokens.ts';
import { endSessions, sessionResponse, startSession } from './sessions.ts';
import type { Db } from './tables.ts';
import { confirmEmailChange } from './update-user.ts';
import {
  checkPasswordPolicy,
  findUser,
  isBanned,
  setEmail,
  type User,
  updateUser,
  verifyPassword,
} from './users.ts';

/** `POST /token?grant_type=password`. An unknown account takes as long as a wrong password. */
export async function signInWithPassword(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, password = '' } = call.body;
  if (phone && email) {
    throw validationFailed('Only an email address or phone number should be provided on login.');
  }
  if (phone) throw phoneDisabled('Phone logins are disabled', 422);
  if (!email) throw validationFailed('missing email or phone');
  const attempt = context.limits.beginPasswordAttempt(email, call.client.address);
  const storedUser = await findUser(context.restApi.db, { email });
  if (!(await verifyPassword(password, storedUser)) || !storedUser) throw invalidCredentials();
  attempt.succeed();
  const { user, session } = await context.restApi.db.transaction().execute(async (tx) => {
    const user = await findUser(tx, { id: storedUser.id }, { lock: true });
    // The password was changed while it was being checked.
    if (user?.encrypted_password !== storedUser.encrypted_password) throw invalidCredentials();
    requireActive(user);
    return startSession(tx, user.id, 'password', call.client);
  });
  const weak_password = weaknessOf(context, password, email);
  return { ...(await sessionResponse(context, user, session)), weak_password };
}

/** Returns why a password would be refused as a new one, or null. */
function weaknessOf(context: AuthContext, password: string, email: string): object | null {
  try {
    checkPasswordPolicy(context, password, email);
  } catch (error) {
    const reasons = error instanceof AuthError && error.details.weakness;
    if (reasons) return { message: error.message, reasons };
  }
  return null;
}

/**
 * Checks that an account may sign in. The errors reveal the state of the account, so call this after the password was
 * checked.
 * @throws AuthError
 */
function requireActive(user: User | undefined): asserts user is User {
  if (!user) throw invalidCredentials();
  if (isBanned(user)) throw new AuthError(400, 'user_banned', 'User is banned');
  if (!user.email_confirmed_at) throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed');
}

const invalidCredentials = () => new AuthError(400, 'invalid_credentials', 'Invalid login credentials');

/**
 * `POST /logout`.
 * @param scope `local` ends this session, `others` all other ones, `global` (the default) all
 */
export async function logOut(
  { restApi }: AuthContext,
  { user, sessionId }: AuthenticatedCaller,
  scope = 'global',
): Promise<void> {
  const selection = SCOPES.get(scope)?.(sessionId);
  if (!selection) throw validationFailed('Unsupported logout scope');
  await restApi.db.transaction().execute(async (tx) => {
    await findUser(tx, { id: user.id }, { lock: true });
    await endSessions(tx, user.id, selection);
  });
}

const SCOPES = new Map<string, (sessionId: string) => Parameters<typeof endSessions>[2]>([
  ['global', () => ({})],
  ['local', (only) => ({ only })],
  ['others', (except) => ({ except })],
]);

/** Token types for each `type` that a client may send. */
const TOKEN_TYPES = new Map<string, readonly TokenType[]>([
  ['signup', ['signup']],
  ['invite', ['invite']],
  ['magiclink', ['magiclink']],
  ['recovery', ['recovery']],
  ['email_change', ['email_change_current', 'email_change_new']],
  ['email', ['signup', 'magiclink']],
]);

/** GoTrue's response to the first of the two confirmations. The client then shows no session. */
const HALF_CONFIRMED = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
};

/** `POST /verify`: signs in with a valid one-time token. */
export async function verifyOtp(context: AuthContext, call: AuthCall): Promise<object> {
  if (call.body.phone) throw phoneDisabled('Phone logins are disabled');
  const types = TOKEN_TYPES.get(call.body.type);
  if (!types) throw validationFailed('Invalid email verification type');
  const credential = readOtpCredential(call);
  const attempt =
    'token' in credential
      ? context.limits.beginCodeAttempt(credential.address, call.client.address)
      : undefined;

  const outcome = await context.restApi.db.transaction().execute(async (tx) => {
    const consumed = await consumeToken(context, tx, types, credential);
    if (!consumed) throw otpExpired();
    if (isBanned(consumed.user)) throw new AuthError(403, 'user_banned', 'User is banned');
    if (!(await applyConsumedToken(context, tx, consumed))) return undefined;
    return startSession(tx, consumed.user.id, 'otp', call.client);
  });
  attempt?.succeed();
  return outcome ? await sessionResponse(context, outcome.user, outcome.session) : HALF_CONFIRMED;
}

function readOtpCredential(call: AuthCall): OtpCredential {
  const { email, token, tokenHash } = call.body;
  if (tokenHash) {
    if (email || token) throw validationFailed('Only the token_hash and type should be provided');
    return { tokenHash };
  }
  if (!token) throw validationFailed('Verify requires a token or a token hash');
  if (!email) throw validationFailed('Only an email address or phone number should be provided on verify');
  return { address: email, token };
}

/** @returns true if the caller is to be signed in */
async function applyConsumedToken(
  context: AuthContext,
  tx: Db,
  { user, type, address }: ConsumedToken,
): Promise<boolean> {
  if (type === 'email_change_current' || type === 'email_change_new') {
    return confirmEmailChange(context, tx, user, { type, address });
  }
  if (address !== user.email) throw otpExpired();
  // A mail other than that of the sign-up proved the address. The password may belong to a stranger who registered the
  // address first.
  if (!user.email_confirmed_at && type !== 'signup') {
    await updateUser(tx, user.id, { encrypted_password: null });
  }
  await setEmail(tx, user, address, true);
  await deleteTokens(tx, user.id, ['signup', 'invite']);
  return true;
}
