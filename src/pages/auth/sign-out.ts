import type { APIRoute } from 'astro';
import { signOut } from '../../lib/auth/accounts.server.ts';
import { HOME } from '../../lib/auth/next.ts';
import { sessionOf } from '../../lib/auth/session.server.ts';
import { dropSessionCookie } from '../../lib/supabase/session.server.ts';

export const POST: APIRoute = async (context) => {
  await signOut(sessionOf(context.locals).backend);
  dropSessionCookie(context);
  return context.redirect(HOME, 303);
};
