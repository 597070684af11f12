import { type Claims, TokenRefused } from '../tokens.ts';
import type { AuthContext, Caller } from './context.ts';
import { AuthError } from './errors.ts';
import { authOf, type Db } from './tables.ts';
import { findUser, isBanned, type User } from './users.ts';

/**
 * The person of a token whose session still exists. A token may outlive its session and the person's role.
 * @throws AuthError
 */
export async function requireCaller(context: AuthContext, token: string | undefined): Promise<Caller> {
  const { sub = '', session_id } = await claimsOf(context, token);
  const sessionId = String(session_id);
  return { user: await findActiveUser(context.lite.db, sub, sessionId), sessionId };
}

/**
 * The person of a session that still exists.
 * @param how options of findUser: with a lock, the session cannot end before the transaction
 * @throws AuthError
 */
export async function findActiveUser(
  db: Db,
  id: string,
  sessionId: string,
  how?: { lock: boolean },
): Promise<User> {
  const user = await findUser(db, { id }, how);
  if (!user) throw forbidden('user_not_found', 'User from sub claim in JWT does not exist');
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned');
  const session = await authOf(db)
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('user_id', '=', id)
    .executeTakeFirst();
  if (!session) throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist');
  return user;
}

async function claimsOf({ tokens }: AuthContext, token: string | undefined): Promise<Claims> {
  if (!token) {
    throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  try {
    return await tokens.verify(token);
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    throw forbidden('bad_jwt', `invalid JWT: unable to parse or verify signature, ${error.message}`);
  }
}

const forbidden = (code: string, message: string) => new AuthError(403, code, message);
