import { randomBytes, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { sql } from 'kysely';
import { runWithoutTimeLimit } from '../engine/work.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { runHourly } from '../timers.ts';
import type { AuthCall, AuthContext, ClientInfo } from './context.ts';
import { AuthError, validationFailed } from './errors.ts';
import { authSchema, type Db, sqlNow } from './tables.ts';
import { findUser, isBanned, type User, userResponse } from './users.ts';

/** How a session was started, as a method of the `amr` claim. `otp` stands for the link and for the code of a mail. */
type AuthMethod = 'password' | 'otp';

type AuthSession = { id: string; refreshToken: string };

/** Maximum length of a stored user agent, in characters. */
const MAX_USER_AGENT_LENGTH = 300;

/** Creates a session. The caller has checked the account. */
export async function createSession(
  tx: Db,
  userId: string,
  method: AuthMethod,
  client: ClientInfo,
): Promise<AuthSession> {
  const session = { id: randomUUID(), refreshToken: newRefreshToken() };
  await authSchema(tx)
    .insertInto('sessions')
    .values({ id: session.id, user_id: userId, aal: 'aal1', ...clientColumns(client) })
    .execute();
  await authSchema(tx)
    .insertInto('mfa_amr_claims')
    .values({ session_id: session.id, authentication_method: method })
    .execute();
  await authSchema(tx)
    .insertInto('refresh_tokens')
    .values({ id: randomUUID(), token: session.refreshToken, user_id: userId, session_id: session.id })
    .execute();
  await authSchema(tx)
    .updateTable('users')
    .set({ last_sign_in_at: sqlNow })
    .where('id', '=', userId)
    .execute();
  return session;
}

/** Creates a session, and returns it with the account, whose `last_sign_in_at` the session has changed. */
export async function startSession(
  tx: Db,
  userId: string,
  method: AuthMethod,
  device: ClientInfo,
): Promise<{ user: User; session: AuthSession }> {
  const session = await createSession(tx, userId, method, device);
  const user = await findUser(tx, { id: userId });
  if (!user) throw new Error('A new session has no account.');
  return { user, session };
}

/** Deletes a person's sessions with their refresh tokens: all, only one, or all except one. */
export async function endSessions(
  db: Db,
  userId: string,
  selection: { only?: string; except?: string } = {},
): Promise<void> {
  await authSchema(db)
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(selection.only !== undefined, (query) => query.where('id', '=', selection.only ?? ''))
    .$if(selection.except !== undefined, (query) => query.where('id', '!=', selection.except ?? ''))
    .execute();
}

/** Deletes idle sessions, because their rows hold network addresses. */
async function deleteIdleSessions(context: GatewayContext): Promise<void> {
  await authSchema(context.restApi.db).deleteFrom('sessions').where(isIdle(context)).execute();
}

/** Deletes idle sessions now and every hour. */
export const limitIdleSessions = (context: GatewayContext) =>
  runHourly(
    27,
    () => runWithoutTimeLimit('deleting idle sessions', () => deleteIdleSessions(context)),
    'Idle sessions were not deleted.',
  );

/** SQL condition: the session has been idle longer than `inactivity_timeout`. */
const isIdle = ({ config }: GatewayContext) =>
  sql<boolean>`coalesce(refreshed_at at time zone 'utc', created_at)
    < now() - make_interval(secs => ${config.auth.sessions.inactivityTimeout}::int)`;

/** Returns whether a mailed link or code started this session less than `otp_expiry` ago. */
export async function isRecentMailSignIn(
  { restApi, config }: GatewayContext,
  sessionId: string,
): Promise<boolean> {
  const method: AuthMethod = 'otp';
  const claim = await authSchema(restApi.db)
    .selectFrom('mfa_amr_claims')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .where('authentication_method', '=', method)
    .where(sql<boolean>`created_at > now() - make_interval(secs => ${config.auth.email.otpExpiry}::int)`)
    .executeTakeFirst();
  return claim !== undefined;
}

/** Returns the session columns that describe the client which used the session last. */
const clientColumns = ({ userAgent, address }: ClientInfo) => ({
  user_agent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  ip: address && isIP(address) ? address : null,
});

const newRefreshToken = () => randomBytes(18).toString('base64url');

/**
 * Returns a session in GoTrue's format. Its access token is ES256 with a `kid` and the claims of a hosted project, so
 * that `getClaims()` verifies it locally.
 */
export async function sessionResponse(context: GatewayContext, user: User, session: AuthSession) {
  const publicUser = userResponse(user);
  const expiresIn = context.config.auth.jwtExpiry;
  const issuedAt = Math.floor(Date.now() / 1000);
  const accessToken = await context.tokens.sign({
    iss: `${context.siteUrl}/auth/v1`,
    sub: user.id,
    aud: 'authenticated',
    iat: issuedAt,
    exp: issuedAt + expiresIn,
    role: 'authenticated',
    session_id: session.id,
    email: publicUser.email,
    phone: publicUser.phone,
    app_metadata: publicUser.app_metadata,
    user_metadata: publicUser.user_metadata,
    is_anonymous: publicUser.is_anonymous,
    aal: 'aal1',
    amr: await authenticationMethods(context.restApi.db, session.id),
  });
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: expiresIn,
    expires_at: issuedAt + expiresIn,
    refresh_token: session.refreshToken,
    user: publicUser,
  };
}

/** Returns how and when a session was started, in seconds since 1970. A refresh does not change this. */
async function authenticationMethods(db: Db, sessionId: string) {
  const claims = await authSchema(db)
    .selectFrom('mfa_amr_claims')
    .select(['authentication_method', 'created_at'])
    .where('session_id', '=', sessionId)
    .execute();
  return claims.map(({ authentication_method, created_at }) => ({
    method: authentication_method,
    timestamp: Math.floor(Date.parse(created_at) / 1000),
  }));
}

/** `POST /token?grant_type=refresh_token`. */
export async function refreshSession(context: AuthContext, call: AuthCall): Promise<object> {
  const { refreshToken } = call.body;
  if (!refreshToken) throw validationFailed('refresh_token required');
  // Throws after the transaction: an error inside it would roll back the end of the session.
  const outcome = await context.restApi.db
    .transaction()
    .execute((tx) => rotateRefreshToken(context, tx, refreshToken, call.client));
  if (outcome instanceof AuthError) throw outcome;
  return await sessionResponse(context, outcome.user, outcome.session);
}

/**
 * Returns the next refresh token. The previously used token gets the same one again, because its response may have
 * been lost. An older token must have been copied, so it ends the session, even within GoTrue's
 * `refresh_token_reuse_interval`.
 */
async function rotateRefreshToken(
  context: AuthContext,
  tx: Db,
  token: string,
  client: ClientInfo,
): Promise<{ user: User; session: AuthSession } | AuthError> {
  const tokens = authSchema(tx).selectFrom('refresh_tokens').selectAll();
  const stored = await tokens.where('token', '=', token).executeTakeFirst();
  if (!stored) return notFound();
  const session = await authSchema(tx)
    .selectFrom('sessions')
    .select(['id', 'user_id', isIdle(context).as('idle')])
    .where('id', '=', stored.session_id)
    .forUpdate()
    .executeTakeFirst();
  const user = session && (await findUser(tx, { id: session.user_id }));
  if (!user) return notFound();
  if (isBanned(user)) return refusal('user_banned', 'User Banned');

  const activeToken = await tokens
    .where('session_id', '=', session.id)
    .where('revoked', '=', false)
    .executeTakeFirst();
  const isActive = activeToken?.token === token;
  if (session.idle || (!isActive && activeToken?.parent !== token)) {
    await authSchema(tx).deleteFrom('sessions').where('id', '=', session.id).execute();
    return session.idle
      ? refusal('session_expired', 'Session Expired (Inactivity)')
      : refusal('refresh_token_already_used', 'Already Used');
  }
  const nextToken = isActive ? await issueNextToken(context, tx, stored) : activeToken.token;
  await authSchema(tx)
    .updateTable('sessions')
    .set({
      refreshed_at: sql<string>`now() at time zone 'utc'`,
      updated_at: sqlNow,
      ...clientColumns(client),
    })
    .where('id', '=', session.id)
    .execute();
  return { user, session: { id: session.id, refreshToken: nextToken } };
}

type UsedToken = { id: string; token: string; user_id: string; session_id: string };

/** @returns the new token */
async function issueNextToken(context: AuthContext, tx: Db, usedToken: UsedToken): Promise<string> {
  const nextToken = newRefreshToken();
  await authSchema(tx)
    .updateTable('refresh_tokens')
    .set({ revoked: true, updated_at: sqlNow })
    .where('id', '=', usedToken.id)
    .execute();
  await authSchema(tx)
    .insertInto('refresh_tokens')
    .values({
      id: randomUUID(),
      token: nextToken,
      user_id: usedToken.user_id,
      session_id: usedToken.session_id,
      parent: usedToken.token,
    })
    .execute();
  // After this, such an old token is rejected as unknown.
  await authSchema(tx)
    .deleteFrom('refresh_tokens')
    .where('session_id', '=', usedToken.session_id)
    .where('revoked', '=', true)
    .where(
      'updated_at',
      '<',
      sql<string>`now() - make_interval(secs => ${context.config.auth.sessions.inactivityTimeout}::int)`,
    )
    .execute();
  return nextToken;
}

const refusal = (code: string, reason: string) =>
  new AuthError(400, code, `Invalid Refresh Token: ${reason}`);
const notFound = () => refusal('refresh_token_not_found', 'Refresh Token Not Found');
