import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { makeLink, readLinkRequest } from './admin-links.ts';
import {
  changeAccount,
  deleteUser,
  findAccount,
  listUsers,
  makeAccount,
  pageLinks,
  readPage,
} from './admin-users.ts';
import { AuthError } from './errors.ts';
import { readValues, type Values } from './input.ts';
import { confirmPage, ownAddress } from './mail-links.ts';
import { requireMailer } from './mail-tokens.ts';
import { userResponse } from './users.ts';

/** Account administration under `/auth/v1`. It requires the secret key; a person's token never suffices. */
export function adminRoutes(context: GatewayContext): Hono<RequestVariables> {
  const { db } = context.lite;
  return new Hono<RequestVariables>()
    .use('/admin/*', onlyServer)
    .use('/invite', onlyServer)
    .get('/admin/users', async (c) => {
      const page = readPage(c.req.query('page'), c.req.query('per_page'));
      const { users, total } = await listUsers(db, page);
      c.header('x-total-count', String(total));
      c.header('link', pageLinks(c.req.url, page, total));
      return c.json({ users: users.map(userResponse), aud: 'authenticated' });
    })
    .post('/admin/users', async (c) =>
      c.json(userResponse(await makeAccount(context, await readValues(c.req)))),
    )
    .get('/admin/users/:id', async (c) => c.json(userResponse(await findAccount(db, c.req.param('id')))))
    .put('/admin/users/:id', async (c) =>
      c.json(userResponse(await changeAccount(context, c.req.param('id'), await readValues(c.req)))),
    )
    .delete('/admin/users/:id', async (c) => {
      const body = (await c.req.text()) === '' ? {} : await readValues(c.req);
      await deleteUser(context, c.req.param('id'), body);
      return c.json({});
    })
    .post('/admin/generate_link', async (c) =>
      c.json(await generateLink(context, c, await readValues(c.req))),
    )
    .post('/invite', async (c) => c.json(await invite(context, c, await readValues(c.req))));
}

const onlyServer = createMiddleware<RequestVariables>(async (c, next) => {
  // A person's token beside the secret key is a mistake of the caller.
  if (c.get('keyHolder') !== 'server' || c.get('token')) {
    throw new AuthError(403, 'not_admin', 'User not allowed');
  }
  return next();
});

async function generateLink(context: GatewayContext, c: Context, body: Values) {
  const { user, token, tokenHash, type } = await makeLink(context, readLinkRequest(body));
  const next = ownAddress(c.req.query('redirect_to'), context.siteUrl);
  return {
    ...userResponse(user),
    // Hosted's link leads to `/verify`, which acts on every GET request, also that of a link preview.
    action_link: confirmPage(context.siteUrl, { tokenHash, type, next }),
    email_otp: token,
    hashed_token: tokenHash,
    verification_type: type,
    redirect_to: next ?? context.siteUrl,
  };
}

/** An account and a mail that invites its person. */
async function invite(context: GatewayContext, c: Context, body: Values) {
  requireMailer(context);
  const request = readLinkRequest({ ...body, type: 'invite' });
  const { user, token, tokenHash } = await makeLink(context, request);
  await context.mailer.send('invite', {
    to: request.email,
    email: request.email,
    token,
    tokenHash,
    redirectTo: ownAddress(c.req.query('redirect_to'), context.siteUrl),
  });
  return userResponse(user);
}
