import type { APIRoute } from 'astro';
import { signOut } from '../../lib/data/accounts.server.ts';
import { deleteSessionCookie } from '../../lib/data/session.server.ts';
import { HOME } from '../../lib/domain/sign-in.ts';

export const POST: APIRoute = async (context) => {
  const { backend } = context.locals;
  if (backend) await signOut(backend);
  deleteSessionCookie(context);
  return context.redirect(HOME, 303);
};
