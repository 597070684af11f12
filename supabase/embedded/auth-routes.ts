import { Mutex } from 'async-mutex';
import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { authRefusal, retryLater, weakPassword } from './answers.ts';
import type { Claims } from './caller.ts';
import { credentials, isOwnEmail, isSound } from './credentials.ts';
import type { House, Visit } from './house.ts';
import { failureLimit, network, tokenBuckets } from './limits.ts';
import { issueTokens } from './session-tokens.ts';
import { TokenRefused } from './tokens.ts';

/** Any calls from one line. */
const REQUESTS = { capacity: 300, perSecond: 30 };
/** Wrong passwords for one account from one line; an account alone is never locked, or anybody could lock it. */
const FAILURES = { most: 10, withinMs: 15 * 60_000 };
/** Passwords tried from one line, whatever the account: checking one takes this process about 80 ms. */
const PASSWORDS = { capacity: 60, perSecond: 1 };
/** Accounts made from one line: a carrier hides a town behind one address. */
const SIGN_UPS = { capacity: 30, perSecond: 1 / 60 };

/** A visit by somebody whose access token has been checked, where the call asks for one. */
type Known = { Variables: Visit['Variables'] & { claims: Claims | undefined } };

/** `/auth/v1`: the calls that need no mail. What would send one is not let in, rather than promised and lost. */
export function authRoutes(house: House): Hono<Known> {
  const failures = failureLimit(FAILURES);
  const passwords = tokenBuckets(PASSWORDS);
  const signUps = tokenBuckets(SIGN_UPS);

  const answer = async (c: Context<Known>): Promise<Response> =>
    issueTokens(await house.lite.auth(await inward(c), c.get('claims')), house);

  // lite looks, then writes, with other requests in between: two sign-ups of one address would both find it free,
  // two refreshes of one session both make its next token.
  const turn = new Mutex();
  const answerInTurn = async (c: Context<Known>): Promise<Response> => {
    // To its end first: nobody waits for a slow line.
    await c.req.arrayBuffer();
    return turn.runExclusive(() => answer(c));
  };

  const signUp = async (c: Context<Known>): Promise<Response> => {
    const given = await credentials(c.req);
    if (isOwnEmail(given, given.email)) return likeOwnEmail();
    const address = c.get('address');
    const wait = address ? signUps.take(network(address)) : 0;
    return wait > 0 ? tooMany(wait) : answerInTurn(c);
  };

  const signIn = async (c: Context<Known>): Promise<Response> => {
    if (c.req.query('grant_type') !== 'password') return answerInTurn(c);
    const address = c.get('address');
    if (!address) return answer(c);
    const line = network(address);
    const wait = passwords.take(line);
    if (wait > 0) return tooMany(wait);
    const attempt = failures.begin(`${(await credentials(c.req)).email}\n${line}`);
    if (attempt.wait > 0) return tooMany(attempt.wait);
    const response = await answer(c);
    if (response.ok) attempt.forgive();
    return response;
  };

  const changeUser = async (c: Context<Known>): Promise<Response> => {
    const given = await credentials(c.req);
    if (given.email !== '') {
      return authRefusal(422, 'email_address_not_authorized', 'The e-mail address cannot be changed here.');
    }
    return isOwnEmail(given, c.get('claims')?.email) ? likeOwnEmail() : answer(c);
  };

  return new Hono<Known>()
    .use(limitRate())
    .use('/user', checkToken(house))
    .use('/logout', checkToken(house))
    .post('/signup', checkBody, signUp)
    .post('/token', checkBody, signIn)
    .post('/logout', answer)
    .get('/user', answer)
    .put('/user', checkBody, changeUser)
    .get('/settings', answer)
    .get('/health', answer);
}

function limitRate() {
  const requests = tokenBuckets(REQUESTS);
  return createMiddleware<Known>(async (c, next) => {
    const address = c.get('address');
    const wait = address ? requests.take(network(address)) : 0;
    return wait > 0 ? tooMany(wait) : next();
  });
}

function checkToken({ tokens }: House) {
  return createMiddleware<Known>(async (c, next) => {
    const token = c.get('token');
    try {
      c.set('claims', token ? await tokens.verify(token) : undefined);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return authRefusal(
        403,
        'bad_jwt',
        `invalid JWT: unable to parse or verify signature, ${error.message}`,
      );
    }
    return next();
  });
}

const checkBody = createMiddleware<Known>(async (c, next) =>
  (await isSound(c.req)) ? next() : authRefusal(400, 'bad_json', 'Could not parse request body as JSON'),
);

const tooMany = (seconds: number) =>
  retryLater(authRefusal(429, 'over_request_rate_limit', 'Request rate limit reached'), seconds);

const likeOwnEmail = () => weakPassword('The password must not be the e-mail address.');

async function inward(c: Context<Known>): Promise<Request> {
  const type = c.req.header('content-type');
  return new Request(c.req.url, {
    method: c.req.method,
    headers: type ? { 'content-type': type } : {},
    body: c.req.method === 'GET' ? undefined : await c.req.arrayBuffer(),
  });
}
