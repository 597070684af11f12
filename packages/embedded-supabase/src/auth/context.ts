import { setImmediate as next } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Config, MailKind } from '../config.ts';
import { clientNetwork } from '../gateway/client-network.ts';
import type { BackgroundJobs, GatewayContext } from '../gateway/context.ts';
import {
  type Attempt,
  combineLimits,
  createSlidingWindowLimit,
  createTokenBuckets,
} from '../gateway/rate-limits.ts';
import { logError } from '../gateway/responses.ts';
import { MailError } from '../mail/mailer.ts';
import { type Claims, InvalidTokenError } from '../tokens.ts';
import { AuthError, overEmailSendRateLimit, overRequestRateLimit } from './errors.ts';
import type { AuthBody } from './input.ts';
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

/** All requests of one client network. */
const REQUESTS = { capacity: 300, perSecond: 30 };
/**
 * Wrong passwords or codes for one account from one client network. An account is never locked as a whole, because
 * any stranger could lock it then.
 */
const FAILURES = { max: 10, windowMs: 15 * 60_000 };
/** Passwords that one client network tries, for any account. Checking one takes this process about 80 ms. */
const PASSWORDS = { capacity: 60, perSecond: 1 };
/** Sign-ups of one client network. A carrier may put a whole town behind one address. */
const SIGN_UPS = { capacity: 30, perSecond: 1 / 60 };
const HOUR_MS = 3_600_000;
/** Mails that one client network requests for one account. `max_frequency` also limits mails of the same kind. */
const MAILS = { max: 5, windowMs: HOUR_MS };
/** Mails requested by one client network, for any account: a recipient may not have requested them. */
const NETWORK_MAILS = { max: 30, windowMs: HOUR_MS };
/** Maximum length of an account's address, in characters. The keys of the counters truncate longer ones. */
const MAX_ACCOUNT_LENGTH = 254;

type Address = string | undefined;

type AuthLimits = ReturnType<typeof openAuthLimits>;

const UNLIMITED: Attempt = { waitS: 0, succeed() {} };

/**
 * Creates the rate limits of the auth service per client network. Each limit throws an AuthError. Calls without an
 * address come from the website's own server and have no limit. The counters are in memory, so a restart resets them.
 * @param now a monotonic clock, in milliseconds
 */
export function openAuthLimits({ auth }: Config, now?: () => number) {
  const requests = createTokenBuckets(REQUESTS, now);
  const signUps = createTokenBuckets(SIGN_UPS, now);
  const passwords = createTokenBuckets(PASSWORDS, now);
  const wrongPasswords = createSlidingWindowLimit(FAILURES, now);
  const wrongCodes = createSlidingWindowLimit(FAILURES, now);
  const mailsOfKind = createSlidingWindowLimit({ max: 1, windowMs: auth.email.maxFrequency * 1000 }, now);
  const mails = createSlidingWindowLimit(MAILS, now);
  const networkMails = createSlidingWindowLimit(NETWORK_MAILS, now);

  return {
    takeRequest: (address: Address) =>
      address && throwIfLimited(requests.take(clientNetwork(address)), overRequestRateLimit),
    takeSignUp: (address: Address) =>
      address && throwIfLimited(signUps.take(clientNetwork(address)), overRequestRateLimit),
    /** Counts the attempt as a failure until `succeed` is called. */
    beginPasswordAttempt(account: string, address: Address): Attempt {
      if (!address) return UNLIMITED;
      throwIfLimited(passwords.take(clientNetwork(address)), overRequestRateLimit);
      return requireAllowed(wrongPasswords.begin(accountKey(account, address)));
    },
    /** Counts the attempt as a failure until `succeed` is called. */
    beginCodeAttempt(account: string, address: Address): Attempt {
      return address ? requireAllowed(wrongCodes.begin(accountKey(account, address))) : UNLIMITED;
    },
    /** Counts the same whether or not the account exists. */
    takeMail(kind: MailKind, account: string, address: Address): void {
      if (!address) return;
      const key = accountKey(account, address);
      const limits = [
        mailsOfKind.begin(`${kind}\n${key}`),
        mails.begin(key),
        networkMails.begin(clientNetwork(address)),
      ];
      throwIfLimited(combineLimits(limits).waitS, overEmailSendRateLimit);
    },
  };
}

const accountKey = (account: string, address: string) =>
  `${account.slice(0, MAX_ACCOUNT_LENGTH)}\n${clientNetwork(address)}`;

function requireAllowed(attempt: Attempt): Attempt {
  throwIfLimited(attempt.waitS, overRequestRateLimit);
  return attempt;
}

function throwIfLimited(seconds: number, refusal: (seconds: number) => AuthError): void {
  if (seconds > 0) throw refusal(seconds);
}
