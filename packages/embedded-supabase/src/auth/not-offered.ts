import { type Context, Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import type { AuthCall, AuthContext, AuthenticatedCaller } from './context.ts';
import { AuthError, authErrorResponse, validationFailed } from './errors.ts';
import { readJsonBody, readOptionalString } from './input.ts';

/*
 * Ways to sign in that the backend does not offer. The refusals have the codes and sentences of GoTrue for features
 * that are disabled.
 */

const refuse = (status: number, code: string, message: string) => (): never => {
  throw new AuthError(status, code, message);
};

const samlDisabled = refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
const linkingDisabled = refuse(404, 'manual_linking_disabled', 'Manual linking is disabled');
const oauthServerDisabled = refuse(404, 'feature_disabled', 'OAuth server is disabled');
const customProvidersDisabled = refuse(404, 'feature_disabled', 'Custom OAuth providers are disabled');
const passkeysDisabled = refuse(404, 'passkey_disabled', 'Passkeys are disabled');
const noSuchFactor = refuse(404, 'mfa_factor_not_found', 'Factor not found');
const noReauthentication = refuse(
  422,
  'reauthentication_not_valid',
  'Reauthentication by mail is not offered: send current_password with the new password.',
);

/** Refusals of an enrolment by `factor_type`. */
const ENROLMENTS = new Map<string | undefined, [code: string, name: string]>([
  ['totp', ['mfa_totp_enroll_not_enabled', 'TOTP']],
  ['phone', ['mfa_phone_enroll_not_enabled', 'Phone']],
  ['webauthn', ['mfa_webauthn_enroll_not_enabled', 'WebAuthn']],
]);

async function refuseEnrolment(c: Context<RequestVariables>): Promise<never> {
  const [code, name] = ENROLMENTS.get(readOptionalString(await readJsonBody(c.req), 'factor_type')) ?? [];
  if (!code) throw validationFailed('factor_type needs to be totp, phone, or webauthn');
  throw new AuthError(422, code, `MFA enroll is disabled for ${name}`);
}

/**
 * Creates the routes of a person's factors, identities and passkeys, of single sign-on and of the OAuth server.
 * @param requireCaller throws for a request without a session
 */
export function notOfferedRoutes(
  requireCaller: (c: Context<RequestVariables>) => Promise<AuthenticatedCaller>,
): Hono<RequestVariables> {
  return new Hono<RequestVariables>()
    .use('/factors/*', signedIn)
    .use('/user/identities/*', signedIn)
    .use('/user/oauth/*', signedIn)
    .use('/reauthenticate', signedIn)
    .post('/factors', refuseEnrolment)
    .all('/factors/*', noSuchFactor)
    .all('/user/identities/*', linkingDisabled)
    .all('/user/oauth/*', oauthServerDisabled)
    .all('/oauth/*', oauthServerDisabled)
    .all('/passkeys/*', passkeysDisabled)
    .get('/reauthenticate', noReauthentication)
    .all('/sso/*', samlDisabled);

  async function signedIn(c: Context<RequestVariables>, next: () => Promise<void>) {
    await requireCaller(c);
    return next();
  }
}

/** Creates the routes under `/admin` for these features. The caller has checked the key. */
export const notOfferedAdminRoutes = (): Hono<RequestVariables> =>
  new Hono<RequestVariables>()
    .all('/admin/users/:id/factors/:factor', noSuchFactor)
    .all('/admin/sso/*', samlDisabled)
    .all('/admin/oauth/*', oauthServerDisabled)
    .all('/admin/custom-providers/*', customProvidersDisabled);

/** `GET /authorize`: begins a sign-in with an OAuth provider. Browsers open it without a key. */
export const authorize = (): Response =>
  authErrorResponse(validationFailed('Unsupported provider: provider is not enabled'));

type Grant = (context: AuthContext, call: AuthCall) => Promise<object>;

/** `POST /token?grant_type=pkce`. The links of mails contain a token hash, so no authorization code exists. */
const exchangeCode: Grant = async (_context, { body }) => {
  if (!body.authCode || !body.codeVerifier) {
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty');
  }
  throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
};

/** Refused values of `grant_type`. */
export const REFUSED_GRANTS: readonly [string, Grant][] = [
  ['pkce', exchangeCode],
  ['id_token', async () => refuse(400, 'provider_disabled', 'No provider of ID tokens is enabled')()],
  ['web3', async () => refuse(422, 'web3_provider_disabled', 'Web3 provider is disabled')()],
];
