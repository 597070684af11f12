import { setImmediate as next } from 'node:timers/promises';
import { sql } from 'kysely';
import type { BackgroundJobs, GatewayContext } from '../gateway/context.ts';
import { logError } from '../gateway/responses.ts';
import { MailError } from '../mail/mailer.ts';
import { type Claims, InvalidTokenError } from '../tokens.ts';
import { AuthError } from './errors.ts';
import type { AuthBody } from './input.ts';
import type { AuthLimits } from './limits.ts';
import { authSchema, type Db } from './tables.ts';
import { findUser, isBanned, type User } from './users.ts';

/** Dependencies that all flows of the auth service share. */
export type AuthContext = GatewayContext & { limits: AuthLimits };

/** Address and user agent of the client. */
export type ClientInfo = { userAgent: string | undefined; address: string | undefined };

/** The parsed request of a flow. */
export type AuthCall = {
  body: AuthBody;
  client: ClientInfo;
  /** Target of a mailed link: a URL of this site, or undefined. */
  redirectTo: string | undefined;
};

/** A person with an existing session. */
export type AuthenticatedCaller = { user: User; sessionId: string };

/**
 * Returns the person and session of an access token. Checks that the session still exists, because a token may outlive
 * its session and the person's role.
 * @throws AuthError
 */
export async function authenticateCaller(
  context: AuthContext,
  token: string | undefined,
): Promise<AuthenticatedCaller> {
  const { sub = '', session_id } = await claimsOf(context, token);
  const sessionId = String(session_id);
  return { user: await findActiveUser(context.restApi.db, sub, sessionId), sessionId };
}

/**
 * Finds the person of a session that still exists.
 * @param options `lock` locks the account's row, so that the session cannot end before the transaction
 * @throws AuthError
 */
export async function findActiveUser(
  db: Db,
  id: string,
  sessionId: string,
  options?: { lock: boolean },
): Promise<User> {
  const user = await findUser(db, { id }, options);
  if (!user) throw forbidden('user_not_found', 'User from sub claim in JWT does not exist');
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned');
  const session = await authSchema(db)
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
    if (!(error instanceof InvalidTokenError)) throw error;
    throw forbidden('bad_jwt', `invalid JWT: unable to parse or verify signature, ${error.message}`);
  }
}

const forbidden = (code: string, message: string) => new AuthError(403, code, message);

/**
 * Creates a runner for jobs that run after the response, such as sending mail. Neither the response time nor an error
 * then reveals whether an account exists. The runner logs errors.
 */
export function openBackgroundJobs(): BackgroundJobs {
  const running = new Set<Promise<void>>();
  return {
    begin(work) {
      // PGlite runs in this thread, so the job's first step would delay the response.
      const run = next()
        .then(work)
        .catch(logBackgroundError)
        .finally(() => running.delete(run));
      running.add(run);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

/**
 * Runs work after the response to an anonymous caller. The work itself looks up the account, so the response time
 * does not depend on it. An unavailable database is still reported in the response.
 */
export async function runAfterResponse(
  { restApi, backgroundJobs }: Pick<GatewayContext, 'restApi' | 'backgroundJobs'>,
  work: () => Promise<void>,
): Promise<void> {
  await sql`select 1`.execute(restApi.db);
  backgroundJobs.begin(work);
}

/** Logs an error of a background job. */
export function logBackgroundError(error: unknown): void {
  // The mailer has already logged a MailError.
  if (!(error instanceof MailError)) logError(error);
}
