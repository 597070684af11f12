import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import {
  adminCreateUser,
  adminDeleteUser,
  adminUpdateUser,
  listUsers,
  paginationLinks,
  readPagination,
  readSort,
  requireUser,
} from './admin-users.ts';
import { AuthError, emailExists, validationFailed } from './errors.ts';
import { type JsonObject, readEmail, readJsonBody, readOptionalObject, readOptionalString } from './input.ts';
import { notOfferedAdminRoutes } from './not-offered.ts';
import {
  allowedRedirectUrl,
  confirmationUrl,
  deleteTokens,
  issueMailedToken,
  type MailedToken,
  requireMailer,
  type TokenType,
} from './one-time-tokens.ts';
import { type Db, jsonParameter, sqlNow } from './tables.ts';
import {
  checkPasswordPolicy,
  createUser,
  findUser,
  hashPassword,
  mergeMetadata,
  type User,
  type UserData,
  updateUser,
  userResponse,
} from './users.ts';

/** Creates the routes of account administration. They require the secret key; a person's token never suffices. */
export function adminRoutes(context: GatewayContext): Hono<RequestVariables> {
  const { db } = context.restApi;
  return new Hono<RequestVariables>()
    .use('/admin/*', requireSecretKey)
    .use('/invite', requireSecretKey)
    .get('/admin/users', async (c) => {
      const page = readPagination(c.req.query('page'), c.req.query('per_page'));
      const sort = readSort(c.req.query('sort'));
      const { users, total } = await listUsers(db, page, { sort, filter: c.req.query('filter') });
      c.header('x-total-count', String(total));
      c.header('link', paginationLinks(c.req.url, page, total));
      return c.json({ users: users.map(userResponse), aud: 'authenticated' });
    })
    .post('/admin/users', async (c) =>
      c.json(userResponse(await adminCreateUser(context, await readJsonBody(c.req)))),
    )
    .get('/admin/users/:id', async (c) => c.json(userResponse(await requireUser(db, c.req.param('id')))))
    .put('/admin/users/:id', async (c) =>
      c.json(userResponse(await adminUpdateUser(context, c.req.param('id'), await readJsonBody(c.req)))),
    )
    .delete('/admin/users/:id', async (c) => {
      const body = (await c.req.text()) === '' ? {} : await readJsonBody(c.req);
      await adminDeleteUser(context, c.req.param('id'), body);
      return c.json({});
    })
    .get('/admin/users/:id/factors', async (c) => {
      await requireUser(db, c.req.param('id'));
      return c.json([]);
    })
    .route('/', notOfferedAdminRoutes())
    .post('/admin/generate_link', async (c) =>
      c.json(await generateLink(context, c, await readJsonBody(c.req))),
    )
    .post('/invite', async (c) => c.json(await invite(context, c, await readJsonBody(c.req))));
}

const requireSecretKey = createMiddleware<RequestVariables>(async (c, next) => {
  // A person's token beside the secret key is a mistake of the caller.
  if (c.get('apiKeyType') !== 'secret' || c.get('token')) {
    throw new AuthError(403, 'not_admin', 'User not allowed');
  }
  return next();
});

async function generateLink(context: GatewayContext, c: Context, body: JsonObject) {
  const { user, token, tokenHash, type } = await makeLink(context, readLinkRequest(body));
  const next = allowedRedirectUrl(c.req.query('redirect_to'), context.siteUrl);
  return {
    ...userResponse(user),
    // On hosted the link leads to `/verify`, which acts on every GET request, even one by a link preview.
    action_link: confirmationUrl(context.siteUrl, { tokenHash, type, next }),
    email_otp: token,
    hashed_token: tokenHash,
    verification_type: type,
    redirect_to: next ?? context.siteUrl,
  };
}

/** Creates an account and mails an invitation to its address. */
async function invite(context: GatewayContext, c: Context, body: JsonObject) {
  requireMailer(context);
  const request = readLinkRequest({ ...body, type: 'invite' });
  const { user, token, tokenHash, data } = await makeLink(context, request);
  await context.mailer.send('invite', {
    to: request.email,
    email: request.email,
    token,
    tokenHash,
    data,
    redirectTo: allowedRedirectUrl(c.req.query('redirect_to'), context.siteUrl),
  });
  return userResponse(user);
}

const EMAIL_CHANGE_TYPES = ['email_change_current', 'email_change_new'] as const;
const LINK_TYPES: readonly TokenType[] = ['signup', 'invite', 'magiclink', 'recovery', ...EMAIL_CHANGE_TYPES];

/** Request for a link: its type, the address, and options. */
type LinkRequest = {
  type: TokenType;
  /** Lower case. */
  email: string;
  newEmail: string | undefined;
  password: string | undefined;
  data: UserData | undefined;
};

type Link = MailedToken & {
  user: User;
  /** May differ from the requested type: a magic link for a new address becomes a sign-up link. */
  type: TokenType;
};

/** Reads the body of a call that creates a link. @throws AuthError */
function readLinkRequest(body: JsonObject): LinkRequest {
  const requestedType = readOptionalString(body, 'type');
  const type = LINK_TYPES.find((linkType) => linkType === requestedType);
  if (!type) throw validationFailed(`type must be one of ${LINK_TYPES.join(', ')}.`);
  return {
    type,
    email: readRequiredEmail(body, 'email'),
    newEmail: type.startsWith('email_change') ? readRequiredEmail(body, 'new_email') : undefined,
    password: readOptionalString(body, 'password'),
    data: readOptionalObject(body, 'data'),
  };
}

function readRequiredEmail(body: JsonObject, name: string): string {
  const email = readEmail(body, name);
  if (!email) throw validationFailed(`${name} must be an e-mail address.`);
  return email;
}

/**
 * Creates a token with the rights of the server. Creates the account too if the type requires it. Sends no mail.
 * @throws AuthError
 */
async function makeLink(context: GatewayContext, request: LinkRequest): Promise<Link> {
  const { email, newEmail } = request;
  const passwordHash = request.type === 'signup' ? await hashNewPassword(context, request) : undefined;
  return context.restApi.db.transaction().execute(async (tx) => {
    const { user, type } = await findOrCreateUser(tx, request, passwordHash);
    const address = (type === 'email_change_new' && newEmail) || email;
    const token = await issueMailedToken(context, tx, { userId: user.id, type, address });
    return { ...token, type, user: (await findUser(tx, { id: user.id })) ?? user };
  });
}

async function hashNewPassword(context: GatewayContext, { password, email }: LinkRequest): Promise<string> {
  if (!password) throw validationFailed('Signup requires a valid password');
  checkPasswordPolicy(context, password, email);
  return hashPassword(password);
}

/** Finds or creates the account of a link. Starts the change of address if the link is for one. */
async function findOrCreateUser(tx: Db, request: LinkRequest, passwordHash: string | undefined) {
  const { type, email, newEmail } = request;
  if (type === 'signup' || type === 'invite')
    return { type, user: await createUnconfirmedUser(tx, request, passwordHash) };
  const user = await findUser(tx, { email }, { lock: true });
  if (!user && type === 'magiclink') {
    return { type: 'signup' as const, user: await createUnconfirmedUser(tx, request, undefined) };
  }
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found');
  if (newEmail) await startEmailChange(tx, user, newEmail);
  return { type, user };
}

/**
 * Creates an account with an unconfirmed address. Replaces or removes the password of an existing unconfirmed account,
 * because any person may have created it.
 */
async function createUnconfirmedUser(
  tx: Db,
  { type, email, data }: LinkRequest,
  passwordHash: string | undefined,
) {
  const isInvite = type === 'invite';
  const created = await createUser(tx, { email, passwordHash, confirmed: false, data, invited: isInvite });
  if (created) return created;
  const user = await findUser(tx, { email }, { lock: true });
  if (!user || user.email_confirmed_at) throw emailExists();
  await updateUser(tx, user.id, {
    encrypted_password: passwordHash ?? null,
    raw_user_meta_data: jsonParameter(mergeMetadata(user.raw_user_meta_data, data ?? {})),
    ...(isInvite && { invited_at: sqlNow }),
  });
  return user;
}

/**
 * Starts a change of address. A call creates the link for one of the two addresses, so a change takes two calls.
 * Cancels a pending change to another address.
 */
async function startEmailChange(tx: Db, user: User, newEmail: string): Promise<void> {
  if (await findUser(tx, { email: newEmail })) throw emailExists();
  if (user.email_change !== newEmail) await deleteTokens(tx, user.id, EMAIL_CHANGE_TYPES);
  await updateUser(tx, user.id, { email_change: newEmail, email_change_confirm_status: 0 });
}
