import type { MailKind } from '../config.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { emailDisabled } from './errors.ts';
import { issueToken, type OneTimeToken, type Subject, type TokenType } from './one-time-tokens.ts';
import { type Db, now } from './tables.ts';
import { updateUser } from './users.ts';

/** When the newest token of a type was sent, in GoTrue's columns. */
const SENT_AT = {
  signup: 'confirmation_sent_at',
  invite: 'confirmation_sent_at',
  magiclink: 'recovery_sent_at',
  recovery: 'recovery_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
} as const satisfies Record<TokenType, string>;

/** Whether a new address must be confirmed: only if there is a mailer. */
export const confirms = ({ config, mailer }: GatewayContext) =>
  mailer.available && config.auth.email.confirmations;

/** @throws AuthError where no mail can be sent */
export function requireMailer({ mailer }: GatewayContext): void {
  if (!mailer.available) throw emailDisabled();
}

/** Makes a token that is about to be sent, and notes when. */
export async function issueForMail(context: GatewayContext, db: Db, subject: Subject): Promise<OneTimeToken> {
  await updateUser(db, subject.userId, { [SENT_AT[subject.type]]: now });
  return issueToken(context, db, subject);
}

/**
 * Mails a new token to an account. Do not call it within a transaction, because sending takes seconds.
 * @throws MailError; the token stays valid
 */
export async function mailToken(
  context: GatewayContext,
  kind: MailKind,
  subject: Subject,
  redirectTo: string | undefined,
): Promise<void> {
  const token = await context.lite.db.transaction().execute((tx) => issueForMail(context, tx, subject));
  await context.mailer.send(kind, { to: subject.address, email: subject.address, redirectTo, ...token });
}
