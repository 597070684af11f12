import type { GatewayContext } from '../gateway/context.ts';
import type { Mail } from '../mail/message.ts';
import { otpExpired } from './errors.ts';
import { issueForMail } from './mail-tokens.ts';
import { type TokenType, voidTokens } from './one-time-tokens.ts';
import type { Db } from './tables.ts';
import { confirmAddress, findUser, type User, updateUser } from './users.ts';

/**
 * Begins a change of address. New tokens invalidate those of an earlier change.
 * @param user locked by the transaction
 * @returns mails to send after the transaction
 */
export async function beginEmailChange(
  context: GatewayContext,
  tx: Db,
  user: User,
  newEmail: string,
  redirectTo: string | undefined,
): Promise<Mail[]> {
  const email = user.email ?? '';
  const asked: [TokenType, string][] = [['email_change_new', newEmail]];
  if (context.config.auth.email.doubleConfirmChanges && email) asked.push(['email_change_current', email]);
  await updateUser(tx, user.id, { email_change: newEmail, email_change_confirm_status: 0 });
  const mails: Mail[] = [];
  for (const [type, address] of asked) {
    const token = await issueForMail(context, tx, { userId: user.id, type, address });
    mails.push({ to: address, email, newEmail, redirectTo, ...token });
  }
  return mails;
}

/** Sends what a change of address waits for. @throws MailError; the tokens stay good */
export async function sendEmailChange({ mailer }: GatewayContext, mails: Mail[]): Promise<void> {
  for (const mail of mails) await mailer.send('email_change', mail);
}

/** Sends the mails of a change under way once more, with new tokens for both addresses. */
export async function resendEmailChange(
  context: GatewayContext,
  userId: string,
  redirectTo: string | undefined,
): Promise<void> {
  const mails = await context.lite.db.transaction().execute(async (tx) => {
    const user = await findUser(tx, { id: userId }, { lock: true });
    return user?.email_change ? beginEmailChange(context, tx, user, user.email_change, redirectTo) : [];
  });
  await sendEmailChange(context, mails);
}

/**
 * Handles the confirmation of one of the two addresses.
 * @param user locked by the transaction
 * @param proof the token of the confirmation
 * @returns whether the change is complete; otherwise the other address has yet to confirm
 * @throws AuthError if another account has the new address by now
 */
export async function confirmEmailChange(
  context: GatewayContext,
  tx: Db,
  user: User,
  { type, address }: { type: TokenType; address: string },
): Promise<boolean> {
  const asked = type === 'email_change_new' ? user.email_change : user.email;
  if (!user.email_change || address !== asked) throw otpExpired();
  const needed = context.config.auth.email.doubleConfirmChanges && user.email ? 2 : 1;
  if (user.email_change_confirm_status + 1 < needed) {
    await updateUser(tx, user.id, { email_change_confirm_status: user.email_change_confirm_status + 1 });
    return false;
  }
  await confirmAddress(tx, user, user.email_change);
  await updateUser(tx, user.id, { email_change: null, email_change_confirm_status: 0 });
  // Tokens that were sent to the old address become invalid.
  await voidTokens(tx, user.id);
  return true;
}
