import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';
import type { Context } from 'hono';
import { sql } from 'kysely';
import type { MailKind } from '../config.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { emailDisabled } from './errors.ts';
import { authSchema, type Db, sqlNow } from './tables.ts';
import { findUser, type User, type UserData, updateUser } from './users.ts';

/** Purpose of a token. A change of address is confirmed at both addresses. */
export type TokenType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new';

/** The secrets as mailed. The database stores digests only. */
type OneTimeToken = {
  /** The code, `otp_length` digits. */
  token: string;
  /** The secret in the link. Hosted uses the same name. */
  tokenHash: string;
};

/** Account, purpose and address of a token. */
type Subject = {
  userId: string;
  type: TokenType;
  /** The address that the token is sent to, lower case. */
  address: string;
};

/** Credential of a one-time token: the hash of a link, or an address and the code sent to it. */
export type OtpCredential = { tokenHash: string } | { address: string; token: string };

/**
 * Creates a token and invalidates the account's older token of the same type. The token expires after `otp_expiry`.
 * Link and code are separate secrets. On hosted the link is a hash of address and code, which can be computed for every
 * code.
 */
export async function issueToken(context: GatewayContext, db: Db, subject: Subject): Promise<OneTimeToken> {
  const { otpLength, otpExpiry } = context.config.auth.email;
  const token = String(randomInt(10 ** otpLength)).padStart(otpLength, '0');
  const tokenHash = randomBytes(32).toString('hex');
  const storedToken = {
    token_hash: digest(tokenHash),
    code_hash: codeDigest(context, subject.type, subject.address, token),
    relates_to: subject.address,
    expires_at: sql<string>`now() + make_interval(secs => ${otpExpiry}::int)`,
    created_at: sqlNow,
  };
  await authSchema(db)
    .insertInto('one_time_tokens')
    .values({ user_id: subject.userId, token_type: subject.type, ...storedToken })
    .onConflict((conflict) => conflict.columns(['user_id', 'token_type']).doUpdateSet(storedToken))
    .execute();
  return { token, tokenHash };
}

/** Account, purpose and address of a consumed token. */
export type ConsumedToken = {
  /** Locked until the transaction ends. */
  user: User;
  type: TokenType;
  address: string;
};

/**
 * Deletes a valid token, so that it can be used only once. Of two concurrent callers, one gets it.
 * @returns undefined if the token is wrong, of another type, expired or used
 */
export async function consumeToken(
  context: GatewayContext,
  tx: Db,
  types: readonly TokenType[],
  credential: OtpCredential,
): Promise<ConsumedToken | undefined> {
  const token = await authSchema(tx)
    .selectFrom('one_time_tokens')
    .select(['user_id', 'token_hash'])
    .where('token_type', 'in', types)
    .where((compare) =>
      'tokenHash' in credential
        ? compare('token_hash', '=', digest(credential.tokenHash))
        : compare(
            'code_hash',
            'in',
            types.map((type) => codeDigest(context, type, credential.address, credential.token)),
          ),
    )
    .executeTakeFirst();
  // Locks the account before its tokens, in the same order as all other code, to avoid deadlocks.
  const user = token && (await findUser(tx, { id: token.user_id }, { lock: true }));
  if (!user) return undefined;
  const claimed = await authSchema(tx)
    .deleteFrom('one_time_tokens')
    .where('token_hash', '=', token.token_hash)
    .where('expires_at', '>', sqlNow)
    .returning(['token_type', 'relates_to'])
    .executeTakeFirst();
  return claimed && { user, type: claimed.token_type as TokenType, address: claimed.relates_to };
}

/** Deletes an account's tokens: those of the given types, or all. */
export async function deleteTokens(db: Db, userId: string, types?: readonly TokenType[]): Promise<void> {
  await authSchema(db)
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .$if(types !== undefined, (query) => query.where('token_type', 'in', types ?? []))
    .execute();
}

const digest = (tokenHash: string) => hash('sha256', tokenHash);

function codeDigest({ keys }: GatewayContext, type: TokenType, address: string, token: string): string {
  return createHmac('sha256', keys.internal).update(`${type}\n${address}\n${token}`).digest('hex');
}

/** GoTrue's columns for the time when the newest token of a type was sent. */
const SENT_AT = {
  signup: 'confirmation_sent_at',
  invite: 'confirmation_sent_at',
  magiclink: 'recovery_sent_at',
  recovery: 'recovery_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
} as const satisfies Record<TokenType, string>;

/** Returns whether a new address must be confirmed. Always false without a mailer. */
export const requiresConfirmation = ({ config, mailer }: GatewayContext) =>
  mailer.available && config.auth.email.confirmationRequired;

/** @throws AuthError if no mail can be sent */
export function requireMailer({ mailer }: GatewayContext): void {
  if (!mailer.available) throw emailDisabled();
}

/** A token with the account's metadata, which the template of its mail may compare. */
export type MailedToken = OneTimeToken & { data: UserData };

/** Creates a token that is about to be sent, and stores the time. */
export async function issueMailedToken(
  context: GatewayContext,
  db: Db,
  subject: Subject,
): Promise<MailedToken> {
  const user = await updateUser(db, subject.userId, { [SENT_AT[subject.type]]: sqlNow });
  return { ...(await issueToken(context, db, subject)), data: user?.raw_user_meta_data ?? {} };
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
  const token = await context.restApi.db
    .transaction()
    .execute((tx) => issueMailedToken(context, tx, subject));
  await context.mailer.send(kind, { to: subject.address, email: subject.address, redirectTo, ...token });
}

/** Names of token types on the page `/auth/confirm`, where they differ. */
const PAGE_TYPES = new Map([
  ['signup', 'email'],
  ['magiclink', 'email'],
  ['email_change_current', 'email_change'],
  ['email_change_new', 'email_change'],
]);

type ConfirmLink = { tokenHash: string; type: string; next: string | undefined };

/** Returns the URL of the page with the button that uses a token. */
export function confirmationUrl(siteUrl: string, { tokenHash, type, next }: ConfirmLink): string {
  const page = new URL(`${siteUrl}/auth/confirm`);
  page.searchParams.set('token_hash', tokenHash);
  page.searchParams.set('type', PAGE_TYPES.get(type) ?? type);
  if (next) page.searchParams.set('next', next);
  return page.href;
}

/**
 * `GET /verify`: the target of links in templates that are not ours. It redirects to a page of the site with a button.
 * It changes nothing, because mail scanners open every link.
 */
export function redirectToConfirmationPage(c: Context, { siteUrl }: GatewayContext): Response {
  const page = confirmationUrl(siteUrl, {
    tokenHash: c.req.query('token_hash') ?? c.req.query('token') ?? '',
    type: c.req.query('type') ?? '',
    next: allowedRedirectUrl(c.req.query('redirect_to'), siteUrl),
  });
  c.header('referrer-policy', 'no-referrer');
  c.header('cache-control', 'no-store');
  return c.redirect(page, 303);
}

/** @returns the absolute URL, or undefined if it is not on this site */
export function allowedRedirectUrl(redirectTo: string | undefined, siteUrl: string): string | undefined {
  const url = redirectTo ? URL.parse(redirectTo, siteUrl) : null;
  return url?.origin === new URL(siteUrl).origin ? url.href : undefined;
}
