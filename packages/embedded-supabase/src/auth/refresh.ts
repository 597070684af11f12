import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AuthCall, AuthContext } from './context.ts';
import { AuthError, validationFailed } from './errors.ts';
import { sessionResponse } from './session-response.ts';
import { type AuthSession, type Device, deviceColumns, isIdle, newRefreshToken } from './sessions.ts';
import { authOf, type Db, now } from './tables.ts';
import { findUser, isBanned, type User } from './users.ts';

/** `POST /token?grant_type=refresh_token`. */
export async function refresh(context: AuthContext, call: AuthCall): Promise<object> {
  const { refreshToken } = call.body;
  if (!refreshToken) throw validationFailed('refresh_token required');
  // A session that is ended must stay ended, so the refusal comes after the transaction.
  const outcome = await context.lite.db
    .transaction()
    .execute((tx) => goOn(context, tx, refreshToken, call.device));
  if (outcome instanceof AuthError) throw outcome;
  return await sessionResponse(context, outcome.user, outcome.session);
}

/**
 * Gives the next token of a session for its last. The one before it is answered with that same next token: its answer
 * was lost on the line, or two asked at once. An older one was in other hands in between, and ends the session:
 * at once, where GoTrue lets it pass for the seconds of `refresh_token_reuse_interval`.
 */
async function goOn(
  context: AuthContext,
  tx: Db,
  token: string,
  device: Device,
): Promise<{ user: User; session: AuthSession } | AuthError> {
  const tokens = authOf(tx).selectFrom('refresh_tokens').selectAll();
  const stored = await tokens.where('token', '=', token).executeTakeFirst();
  if (!stored) return notFound();
  const session = await authOf(tx)
    .selectFrom('sessions')
    .select(['id', 'user_id', isIdle(context).as('idle')])
    .where('id', '=', stored.session_id)
    .forUpdate()
    .executeTakeFirst();
  const user = session && (await findUser(tx, { id: session.user_id }));
  if (!user) return notFound();
  if (isBanned(user)) return refused('user_banned', 'User Banned');

  const last = await tokens
    .where('session_id', '=', session.id)
    .where('revoked', '=', false)
    .executeTakeFirst();
  const fresh = last?.token === token;
  if (session.idle || (!fresh && last?.parent !== token)) {
    await authOf(tx).deleteFrom('sessions').where('id', '=', session.id).execute();
    return session.idle
      ? refused('session_expired', 'Session Expired (Inactivity)')
      : refused('refresh_token_already_used', 'Already Used');
  }
  const next = fresh ? await replace(context, tx, stored) : last.token;
  await authOf(tx)
    .updateTable('sessions')
    .set({ refreshed_at: sql<string>`now() at time zone 'utc'`, updated_at: now, ...deviceColumns(device) })
    .where('id', '=', session.id)
    .execute();
  return { user, session: { id: session.id, refreshToken: next } };
}

type Used = { id: string; token: string; user_id: string; session_id: string };

/** @returns the token that stands in the place of this one from now on */
async function replace(context: AuthContext, tx: Db, used: Used): Promise<string> {
  const next = newRefreshToken();
  await authOf(tx)
    .updateTable('refresh_tokens')
    .set({ revoked: true, updated_at: now })
    .where('id', '=', used.id)
    .execute();
  await authOf(tx)
    .insertInto('refresh_tokens')
    .values({
      id: randomUUID(),
      token: next,
      user_id: used.user_id,
      session_id: used.session_id,
      parent: used.token,
    })
    .execute();
  // The caller of such an old token is rejected as unknown.
  await authOf(tx)
    .deleteFrom('refresh_tokens')
    .where('session_id', '=', used.session_id)
    .where('revoked', '=', true)
    .where(
      'updated_at',
      '<',
      sql<string>`now() - make_interval(secs => ${context.config.auth.sessions.inactivityTimeout}::int)`,
    )
    .execute();
  return next;
}

const refused = (code: string, why: string) => new AuthError(400, code, `Invalid Refresh Token: ${why}`);
const notFound = () => refused('refresh_token_not_found', 'Refresh Token Not Found');
