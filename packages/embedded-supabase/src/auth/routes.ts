import { type Context, Hono } from 'hono';
import { isDatabaseError } from '../engine/errors.ts';
import type { House, Visit } from '../gateway/context.ts';
import { MailFailed } from '../mail/mailer.ts';
import { adminRoutes } from './admin-routes.ts';
import type { AuthHouse, Call } from './context.ts';
import { knownCaller } from './current-user.ts';
import { AuthRefused, invalid, refusedAnswer } from './errors.ts';
import { readBody } from './input.ts';
import { openAuthLimits } from './limits.ts';
import { otp, recover, resend } from './mail-flows.ts';
import { ownAddress } from './mail-links.ts';
import { confirms } from './mail-tokens.ts';
import { refresh } from './refresh.ts';
import { signIn, signOut, verify } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { changeUser } from './update-user.ts';
import { userAnswer } from './users.ts';

/** `GET /settings`: what a page may offer. */
export const settingsAnswer = (house: House) => ({
  external: { email: house.config.auth.email.signUp, phone: false, anonymous_users: false },
  disable_signup: !house.config.auth.signUp,
  mailer_autoconfirm: !confirms(house),
  phone_autoconfirm: false,
  sms_provider: '',
  saml_enabled: false,
});

/** `GET /health`, under the name that clients know. */
export const health = { name: 'GoTrue', description: 'Accounts and sessions, as GoTrue answers for them' };

/** What a session may be had for, by `grant_type`. */
const GRANTS = new Map<string | undefined, typeof signIn>([
  ['password', signIn],
  ['refresh_token', refresh],
]);

type Asked = Context<Visit>;

/** `/auth/v1`: who may sign in, how, and for how long. */
export function authRoutes(shared: House): Hono<Visit> {
  const house: AuthHouse = { ...shared, limits: openAuthLimits(shared.config) };
  const answer = (flow: (house: AuthHouse, call: Call) => Promise<object>) => async (c: Asked) =>
    c.json(await flow(house, await callOf(c, house)));
  const caller = (c: Asked) => knownCaller(house, c.get('token'));

  return new Hono<Visit>()
    .onError(answerRefusal)
    .use((c, next) => {
      house.limits.request(c.get('address'));
      return next();
    })
    .post('/signup', answer(signUp))
    .post('/token', (c) => answer(GRANTS.get(c.req.query('grant_type')) ?? noSuchGrant)(c))
    .post('/otp', answer(otp))
    .post('/recover', answer(recover))
    .post('/resend', answer(resend))
    .post('/verify', answer(verify))
    .get('/user', async (c) => c.json(userAnswer((await caller(c)).user)))
    .put('/user', async (c) => c.json(await changeUser(house, await caller(c), await callOf(c, house))))
    .post('/logout', async (c) => {
      await signOut(house, await caller(c), c.req.query('scope'));
      return c.body(null, 204);
    })
    .get('/settings', (c) => c.json(settingsAnswer(house)))
    .get('/health', (c) => c.json(health))
    .route('/', adminRoutes(house));
}

async function callOf(c: Asked, { siteUrl }: House): Promise<Call> {
  return {
    body: await readBody(c.req),
    device: { userAgent: c.req.header('user-agent'), address: c.get('address') },
    redirectTo: ownAddress(c.req.query('redirect_to'), siteUrl),
  };
}

async function noSuchGrant(): Promise<never> {
  throw invalid('unsupported_grant_type');
}

/** A refusal is ours, or that of a trigger of the product's, which names its status and its code. */
function answerRefusal(error: Error): Response {
  if (error instanceof AuthRefused) return refusedAnswer(error);
  if (error instanceof MailFailed) {
    return refusedAnswer(
      new AuthRefused(500, 'unexpected_failure', 'The e-mail could not be sent. Try again.'),
    );
  }
  const law = isDatabaseError(error) && /^PT(4\d\d)$/.exec(error.code);
  if (law) return refusedAnswer(new AuthRefused(Number(law[1]), error.message, error.hint ?? error.message));
  throw error;
}
