import { type Context, Hono } from 'hono';
import { isDatabaseError } from '../engine/errors.ts';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { MailError } from '../mail/mailer.ts';
import { adminRoutes } from './admin-routes.ts';
import {
  type AuthCall,
  type AuthContext,
  authenticateCaller,
  openAuthLimits,
  runAfterResponse,
} from './context.ts';
import { AuthError, authErrorResponse, phoneDisabled, validationFailed } from './errors.ts';
import { checkEmail, readAuthBody } from './input.ts';
import { notOfferedRoutes, REFUSED_GRANTS } from './not-offered.ts';
import { allowedRedirectUrl, mailToken, requireMailer, requiresConfirmation } from './one-time-tokens.ts';
import { refreshSession } from './sessions.ts';
import { logOut, signInWithPassword, verifyOtp } from './sign-in.ts';
import { mailSignIn, signUpWithPassword, storeSignUp } from './sign-up.ts';
import { resendEmailChange, updateOwnUser } from './update-user.ts';
import { findUser, hasAccount, userResponse } from './users.ts';

/*
 * Mails that anonymous callers may request. Each response is sent before the work begins (runAfterResponse), and is the
 * same for every address, except that of `otp` without `create_user`.
 */

/**
 * `POST /otp`: mails a link and a code to sign in. Creates an account unless `create_user` is false. Then GoTrue refuses
 * an unknown address, after the same work as for a known one.
 */
export async function signInWithOtp(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, data, createUser: mayCreate } = call.body;
  if (phone && email) throw validationFailed('Only an email address or phone number should be provided');
  if (phone) throw phoneDisabled('Unsupported phone provider');
  if (!email) throw validationFailed('One of email or phone must be set');
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail('magic_link', email, call.client.address);
  if (!mayCreate) {
    if (!(await hasAccount(context.restApi.db, email))) {
      throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp');
    }
    context.backgroundJobs.begin(() => mailSignIn(context, email, call.redirectTo));
    return {};
  }
  const createsAccount = context.config.auth.signUpEnabled && context.config.auth.email.signUpEnabled;
  if (createsAccount) {
    context.limits.takeSignUp(call.client.address);
    await storeSignUp(context, call, { email, data: data ?? {}, passwordHash: null });
  } else {
    await runAfterResponse(context, () => mailSignIn(context, email, call.redirectTo));
  }
  return {};
}

/** `POST /recover`: mails a link and a code to choose a new password. */
export async function resetPasswordForEmail(context: AuthContext, call: AuthCall): Promise<object> {
  const { email } = call.body;
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail('recovery', email, call.client.address);
  await runAfterResponse(context, async () => {
    const user = await findUser(context.restApi.db, { email });
    if (!user) return;
    await mailToken(
      context,
      'recovery',
      { userId: user.id, type: 'recovery', address: email },
      call.redirectTo,
    );
  });
  return {};
}

/** `POST /resend`: sends the mail of a sign-up or of a change of address again. */
export async function resend(context: AuthContext, call: AuthCall): Promise<object> {
  const { email, phone, type } = call.body;
  if (phone || type === 'sms' || type === 'phone_change') throw phoneDisabled('Phone logins are disabled');
  if (type !== 'signup' && type !== 'email_change') {
    throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change');
  }
  requireMailer(context);
  checkEmail(email);
  context.limits.takeMail(type === 'signup' ? 'confirmation' : 'email_change', email, call.client.address);
  await runAfterResponse(context, async () => {
    const user = await findUser(context.restApi.db, { email });
    if (type === 'email_change' && user?.email_change) {
      await resendEmailChange(context, user.id, call.redirectTo);
    }
    if (type === 'signup' && user && !user.email_confirmed_at) {
      const subject = { userId: user.id, type, address: email } as const;
      await mailToken(context, 'confirmation', subject, call.redirectTo);
    }
  });
  return {};
}

/** `GET /settings`: the ways to sign up and sign in that a page may offer. */
const settingsResponse = (context: GatewayContext) => ({
  external: { email: context.config.auth.email.signUpEnabled, phone: false, anonymous_users: false },
  disable_signup: !context.config.auth.signUpEnabled,
  mailer_autoconfirm: !requiresConfirmation(context),
  phone_autoconfirm: false,
  sms_provider: '',
  saml_enabled: false,
});

/** `GET /health`, with the name that clients expect. */
const health = { name: 'GoTrue', description: 'Accounts and sessions, as GoTrue answers for them' };

/** Handlers by `grant_type`. */
const GRANTS = new Map<string | undefined, typeof signInWithPassword>([
  ['password', signInWithPassword],
  ['refresh_token', refreshSession],
  ...REFUSED_GRANTS,
]);

type AuthRequestContext = Context<RequestVariables>;

/** Creates the routes of `/auth/v1`: sign-up, sign-in, sessions and accounts. */
export function authRoutes(shared: GatewayContext): Hono<RequestVariables> {
  const context: AuthContext = { ...shared, limits: openAuthLimits(shared.config) };
  const handle =
    (flow: (context: AuthContext, call: AuthCall) => Promise<object>) => async (c: AuthRequestContext) =>
      c.json(await flow(context, await readCall(c, context)));
  const callerOf = (c: AuthRequestContext) => authenticateCaller(context, c.get('token'));

  return new Hono<RequestVariables>()
    .onError(errorResponse)
    .use((c, next) => {
      context.limits.takeRequest(c.get('address'));
      return next();
    })
    .post('/signup', handle(signUpWithPassword))
    .post('/token', (c) => {
      const grant = GRANTS.get(c.req.query('grant_type'));
      if (!grant) throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type');
      return handle(grant)(c);
    })
    .post('/otp', handle(signInWithOtp))
    .post('/recover', handle(resetPasswordForEmail))
    .post('/resend', handle(resend))
    .post('/verify', handle(verifyOtp))
    .get('/user', async (c) => c.json(userResponse((await callerOf(c)).user)))
    .put('/user', async (c) =>
      c.json(await updateOwnUser(context, await callerOf(c), await readCall(c, context))),
    )
    .post('/logout', async (c) => {
      await logOut(context, await callerOf(c), c.req.query('scope'));
      return c.body(null, 204);
    })
    .get('/settings', (c) => c.json(settingsResponse(context)))
    .get('/health', (c) => c.json(health))
    .route('/', adminRoutes(context))
    .route('/', notOfferedRoutes(callerOf));
}

async function readCall(c: AuthRequestContext, { siteUrl }: GatewayContext): Promise<AuthCall> {
  return {
    body: await readAuthBody(c.req),
    client: { userAgent: c.req.header('user-agent'), address: c.get('address') },
    redirectTo: allowedRedirectUrl(c.req.query('redirect_to'), siteUrl),
  };
}

/**
 * Returns the response to an AuthError, a MailError or a refusal by a trigger of the product. Such a trigger sets
 * status and code.
 * @throws any other error
 */
function errorResponse(error: Error): Response {
  if (error instanceof AuthError) return authErrorResponse(error);
  if (error instanceof MailError) {
    return authErrorResponse(
      new AuthError(500, 'unexpected_failure', 'The e-mail could not be sent. Try again.'),
    );
  }
  const databaseError = isDatabaseError(error) && /^PT(4\d\d)$/.exec(error.code);
  if (databaseError)
    return authErrorResponse(
      new AuthError(Number(databaseError[1]), error.message, error.hint ?? error.message),
    );
  throw error;
}
