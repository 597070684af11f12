import type { APIRoute } from 'astro';
import { signOut } from '../../lib/auth/accounts.server.ts';
import { HOME } from '../../lib/auth/next.ts';
import { dropSessionCookie } from '../../lib/supabase/session.server.ts';

export const POST: APIRoute = async (context) => {
  const { backend } = context.locals;
  if (backend) await signOut(backend);
  dropSessionCookie(context);
  return context.redirect(HOME, 303);
};
