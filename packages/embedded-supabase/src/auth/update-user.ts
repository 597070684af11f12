import type { AuthCall, AuthContext, Caller } from './context.ts';
import { findActiveUser } from './current-user.ts';
import { beginEmailChange, sendEmailChange } from './email-change.ts';
import { AuthError, emailExists } from './errors.ts';
import { checkEmail, checkUserData } from './input.ts';
import { requireMailer } from './mail-tokens.ts';
import { voidTokens } from './one-time-tokens.ts';
import { checkPassword, hashPassword, isPassword } from './passwords.ts';
import { endSessions, isFreshFromMail } from './sessions.ts';
import { type Db, jsonParameter } from './tables.ts';
import { findUser, mergeData, type User, type UserData, updateUser, userResponse } from './users.ts';

/** `PUT /user`: the person's own data, password and address. All of it is done, or none. */
export async function changeUser(context: AuthContext, caller: Caller, call: AuthCall): Promise<object> {
  const { email, password, data } = call.body;
  const { user: known, sessionId } = caller;
  const newEmail = email && email !== known.email ? email : undefined;
  if (newEmail) await checkNewEmail(context, call, caller, newEmail);
  const passwordHash =
    password === undefined ? undefined : await newPassword(context, caller, call, password);

  const { user, mails } = await context.lite.db.transaction().execute(async (tx) => {
    // Checks again: the session may have ended while the password was verified.
    const user = await findActiveUser(tx, known.id, sessionId, { lock: true });
    if (data) await setData(tx, user, data);
    if (passwordHash) await setPassword(tx, user.id, passwordHash, sessionId);
    const mails = newEmail ? await beginEmailChange(context, tx, user, newEmail, call.redirectTo) : [];
    return { user: await findActiveUser(tx, known.id, sessionId), mails };
  });
  await sendEmailChange(context, mails);
  return userResponse(user);
}

async function checkNewEmail(
  context: AuthContext,
  call: AuthCall,
  caller: Caller,
  email: string,
): Promise<void> {
  requireMailer(context);
  checkEmail(email);
  context.limits.mail('email_change', caller.user.email ?? email, call.device.address);
  if (await findUser(context.lite.db, { email })) throw emailExists();
}

async function newPassword(
  context: AuthContext,
  caller: Caller,
  call: AuthCall,
  password: string,
): Promise<string> {
  const { user } = caller;
  await checkCurrentPassword(context, caller, call);
  checkPassword(context, password, user.email ?? '');
  if (await isPassword(password, user)) {
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.');
  }
  return hashPassword(password);
}

/**
 * Changing a password needs the current one, because a stolen token must not take over the account. A session that
 * began from a mail minutes ago needs none: its person may have forgotten it. Wrong passwords count as failed
 * sign-ins.
 */
async function checkCurrentPassword(
  context: AuthContext,
  { user, sessionId }: Caller,
  call: AuthCall,
): Promise<void> {
  if (await isFreshFromMail(context, sessionId)) return;
  const { currentPassword } = call.body;
  if (!currentPassword) {
    throw new AuthError(
      400,
      'current_password_required',
      'Current password required when setting new password.',
    );
  }
  const attempt = context.limits.password(user.email ?? '', call.device.address);
  if (!(await isPassword(currentPassword, user))) {
    throw new AuthError(400, 'current_password_mismatch', 'The current password is wrong.');
  }
  attempt.forgive();
}

async function setData(tx: Db, { id, raw_user_meta_data }: User, changes: UserData): Promise<void> {
  const data = mergeData(raw_user_meta_data, changes);
  checkUserData(data);
  await updateUser(tx, id, { raw_user_meta_data: jsonParameter(data) });
}

/**
 * Invalidates mailed tokens and a pending change of address, which a person with the old password may have
 * requested.
 */
async function setPassword(tx: Db, userId: string, passwordHash: string, sessionId: string): Promise<void> {
  await updateUser(tx, userId, {
    encrypted_password: passwordHash,
    email_change: null,
    email_change_confirm_status: 0,
  });
  await voidTokens(tx, userId);
  await endSessions(tx, userId, { except: sessionId });
}
