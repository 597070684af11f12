import { randomBytes, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { sql } from 'kysely';
import type { GatewayContext } from '../gateway/context.ts';
import { authOf, type Db, now } from './tables.ts';

/** How a session was begun, in the words of the `amr` claim; a mail's link and its code are both `otp`. */
type AuthMethod = 'password' | 'otp';

/** Address and user agent of the client. */
export type Device = { userAgent: string | undefined; address: string | undefined };

export type AuthSession = { id: string; refreshToken: string };

/** Longest name that a browser may give itself here, in characters; real ones have about 120. */
const LONGEST_AGENT = 300;

/** Begins a session; the caller has checked that the account may have one. Deletes the account's idle sessions. */
export async function beginSession(
  context: GatewayContext,
  tx: Db,
  userId: string,
  method: AuthMethod,
  device: Device,
): Promise<AuthSession> {
  await authOf(tx).deleteFrom('sessions').where('user_id', '=', userId).where(isIdle(context)).execute();
  const session = { id: randomUUID(), refreshToken: newRefreshToken() };
  await authOf(tx)
    .insertInto('sessions')
    .values({ id: session.id, user_id: userId, aal: 'aal1', ...deviceColumns(device) })
    .execute();
  await authOf(tx)
    .insertInto('mfa_amr_claims')
    .values({ session_id: session.id, authentication_method: method })
    .execute();
  await authOf(tx)
    .insertInto('refresh_tokens')
    .values({ id: randomUUID(), token: session.refreshToken, user_id: userId, session_id: session.id })
    .execute();
  await authOf(tx).updateTable('users').set({ last_sign_in_at: now }).where('id', '=', userId).execute();
  return session;
}

/** Ends a person's sessions: all, or only one, or all but one. Their refresh tokens go with them. */
export async function endSessions(
  db: Db,
  userId: string,
  which: { only?: string; except?: string } = {},
): Promise<void> {
  await authOf(db)
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(which.only !== undefined, (query) => query.where('id', '=', which.only ?? ''))
    .$if(which.except !== undefined, (query) => query.where('id', '!=', which.except ?? ''))
    .execute();
}

/** SQL condition: the session has been idle longer than `inactivity_timeout`. */
export const isIdle = ({ config }: GatewayContext) =>
  sql<boolean>`coalesce(refreshed_at at time zone 'utc', created_at)
    < now() - make_interval(secs => ${config.auth.sessions.inactivityTimeout}::int)`;

/** Whether a mail's link or code began this session, within the time that one lives. */
export async function isFreshFromMail({ lite, config }: GatewayContext, sessionId: string): Promise<boolean> {
  const method: AuthMethod = 'otp';
  const begun = await authOf(lite.db)
    .selectFrom('mfa_amr_claims')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .where('authentication_method', '=', method)
    .where(sql<boolean>`created_at > now() - make_interval(secs => ${config.auth.email.otpExpiry}::int)`)
    .executeTakeFirst();
  return begun !== undefined;
}

/** The columns of a session that say where its person was seen last. */
export const deviceColumns = ({ userAgent, address }: Device) => ({
  user_agent: userAgent?.slice(0, LONGEST_AGENT) ?? null,
  ip: address && isIP(address) ? address : null,
});

export const newRefreshToken = () => randomBytes(18).toString('base64url');
