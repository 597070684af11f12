import type { GatewayContext } from '../gateway/context.ts';
import type { AuthSession } from './sessions.ts';
import { authOf, type Db } from './tables.ts';
import { type User, userResponse } from './users.ts';

/**
 * A session as GoTrue returns it. Its access token is ES256 with a `kid` and the claims of a hosted project, so that
 * `getClaims()` verifies it locally.
 */
export async function sessionResponse(context: GatewayContext, user: User, session: AuthSession) {
  const told = userResponse(user);
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
    email: told.email,
    phone: told.phone,
    app_metadata: told.app_metadata,
    user_metadata: told.user_metadata,
    is_anonymous: told.is_anonymous,
    aal: 'aal1',
    amr: await methods(context.lite.db, session.id),
  });
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: expiresIn,
    expires_at: issuedAt + expiresIn,
    refresh_token: session.refreshToken,
    user: told,
  };
}

/** How and when, in seconds since 1970, a session was begun: the same at every refresh. */
async function methods(db: Db, sessionId: string) {
  const noted = await authOf(db)
    .selectFrom('mfa_amr_claims')
    .select(['authentication_method', 'created_at'])
    .where('session_id', '=', sessionId)
    .execute();
  return noted.map(({ authentication_method, created_at }) => ({
    method: authentication_method,
    timestamp: Math.floor(Date.parse(created_at) / 1000),
  }));
}
