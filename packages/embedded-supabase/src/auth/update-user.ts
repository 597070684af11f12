import type { GatewayContext } from '../gateway/context.ts';
import type { Mail } from '../mail/message.ts';
import { type AuthCall, type AuthContext, type AuthenticatedCaller, findActiveUser } from './context.ts';
import { AuthError, emailExists, otpExpired, phoneDisabled } from './errors.ts';
import { checkEmail, checkUserData } from './input.ts';
import { deleteTokens, issueMailedToken, requireMailer, type TokenType } from './one-time-tokens.ts';
import { endSessions, isRecentMailSignIn } from './sessions.ts';
import { type Db, jsonParameter } from './tables.ts';
import {
  checkPasswordPolicy,
  findUser,
  hashPassword,
  mergeMetadata,
  setEmail,
  type User,
  type UserData,
  updateUser,
  userResponse,
  verifyPassword,
} from './users.ts';

/** `PUT /user`: changes the person's own data, password and address, either all or none. */
export async function updateOwnUser(
  context: AuthContext,
  caller: AuthenticatedCaller,
  call: AuthCall,
): Promise<object> {
  const { email, phone, password, data } = call.body;
  if (call.body.appData) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
  }
  if (phone) throw phoneDisabled('Phone signups are disabled');
  const { user: callerUser, sessionId } = caller;
  const newEmail = email && email !== callerUser.email ? email : undefined;
  if (newEmail) await checkNewEmail(context, call, caller, newEmail);
  const passwordHash =
    password === undefined ? undefined : await newPassword(context, caller, call, password);

  const { user, mails } = await context.restApi.db.transaction().execute(async (tx) => {
    // Checks again: the session may have ended while the password was verified.
    const user = await findActiveUser(tx, callerUser.id, sessionId, { lock: true });
    if (data) await setData(tx, user, data);
    if (passwordHash) await setPassword(tx, user.id, passwordHash, sessionId);
    const mails = newEmail ? await beginEmailChange(context, tx, user, newEmail, call.redirectTo) : [];
    return { user: await findActiveUser(tx, callerUser.id, sessionId), mails };
  });
  await sendEmailChange(context, mails);
  return userResponse(user);
}

async function checkNewEmail(
  context: AuthContext,
  call: AuthCall,
  caller: AuthenticatedCaller,
  email: string,
): Promise<void> {
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail('email_change', caller.user.email ?? email, call.client.address);
  if (await findUser(context.restApi.db, { email })) throw emailExists();
}

async function newPassword(
  context: AuthContext,
  caller: AuthenticatedCaller,
  call: AuthCall,
  password: string,
): Promise<string> {
  const { user } = caller;
  await checkCurrentPassword(context, caller, call);
  checkPasswordPolicy(context, password, user.email ?? '');
  if (await verifyPassword(password, user)) {
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.');
  }
  return hashPassword(password);
}

/**
 * Requires the current password, so that a stolen token does not suffice. It is not required soon after signing in by
 * mail. Wrong passwords count as failed sign-ins.
 */
async function checkCurrentPassword(
  context: AuthContext,
  { user, sessionId }: AuthenticatedCaller,
  call: AuthCall,
): Promise<void> {
  if (await isRecentMailSignIn(context, sessionId)) return;
  const { currentPassword } = call.body;
  if (!currentPassword) {
    throw new AuthError(
      400,
      'current_password_required',
      'Current password required when setting new password.',
    );
  }
  const attempt = context.limits.beginPasswordAttempt(user.email ?? '', call.client.address);
  if (!(await verifyPassword(currentPassword, user))) {
    throw new AuthError(400, 'current_password_mismatch', 'The current password is wrong.');
  }
  attempt.succeed();
}

async function setData(tx: Db, { id, raw_user_meta_data }: User, changes: UserData): Promise<void> {
  const data = mergeMetadata(raw_user_meta_data, changes);
  checkUserData(data);
  await updateUser(tx, id, { raw_user_meta_data: jsonParameter(data) });
}

/**
 * Sets the password and ends all other sessions. Cancels mailed tokens and a pending change of address, because another
 * person may have requested them.
 */
async function setPassword(tx: Db, userId: string, passwordHash: string, sessionId: string): Promise<void> {
  await updateUser(tx, userId, {
    encrypted_password: passwordHash,
    email_change: null,
    email_change_confirm_status: 0,
  });
  await deleteTokens(tx, userId);
  await endSessions(tx, userId, { except: sessionId });
}

/**
 * Begins a change of address. New tokens invalidate those of an earlier change.
 * @param user locked by the transaction
 * @returns mails to send after the transaction
 */
async function beginEmailChange(
  context: GatewayContext,
  tx: Db,
  user: User,
  newEmail: string,
  redirectTo: string | undefined,
): Promise<Mail[]> {
  const email = user.email ?? '';
  const recipients: [TokenType, string][] = [['email_change_new', newEmail]];
  if (context.config.auth.email.doubleConfirmChanges && email)
    recipients.push(['email_change_current', email]);
  await updateUser(tx, user.id, { email_change: newEmail, email_change_confirm_status: 0 });
  const mails: Mail[] = [];
  for (const [type, address] of recipients) {
    const token = await issueMailedToken(context, tx, { userId: user.id, type, address });
    mails.push({ to: address, email, newEmail, redirectTo, ...token });
  }
  return mails;
}

/** @throws MailError; the tokens stay valid */
async function sendEmailChange({ mailer }: GatewayContext, mails: Mail[]): Promise<void> {
  for (const mail of mails) await mailer.send('email_change', mail);
}

/** Sends the mails of a pending change again, with new tokens for both addresses. */
export async function resendEmailChange(
  context: GatewayContext,
  userId: string,
  redirectTo: string | undefined,
): Promise<void> {
  const mails = await context.restApi.db.transaction().execute(async (tx) => {
    const user = await findUser(tx, { id: userId }, { lock: true });
    return user?.email_change ? beginEmailChange(context, tx, user, user.email_change, redirectTo) : [];
  });
  await sendEmailChange(context, mails);
}

/**
 * Confirms a change of address by one of its two tokens.
 * @param user locked by the transaction
 * @returns true if the change is complete. Otherwise the other address must confirm it too
 * @throws AuthError if another account has taken the new address, or the token is for an earlier change
 */
export async function confirmEmailChange(
  context: GatewayContext,
  tx: Db,
  user: User,
  { type, address }: { type: TokenType; address: string },
): Promise<boolean> {
  const expected = type === 'email_change_new' ? user.email_change : user.email;
  if (!user.email_change || address !== expected) throw otpExpired();
  const neededConfirmations = context.config.auth.email.doubleConfirmChanges && user.email ? 2 : 1;
  if (user.email_change_confirm_status + 1 < neededConfirmations) {
    await updateUser(tx, user.id, { email_change_confirm_status: user.email_change_confirm_status + 1 });
    return false;
  }
  await setEmail(tx, user, user.email_change, true);
  await updateUser(tx, user.id, { email_change: null, email_change_confirm_status: 0 });
  // Tokens that were sent to the old address become invalid.
  await deleteTokens(tx, user.id);
  return true;
}
