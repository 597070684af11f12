import type { Context } from 'hono';
import type { GatewayContext } from '../gateway/context.ts';

/** What the page calls the types of tokens; the others it knows by the same name. */
const PAGE_TYPES = new Map([
  ['signup', 'email'],
  ['magiclink', 'email'],
  ['email_change_current', 'email_change'],
  ['email_change_new', 'email_change'],
]);

type Proof = { tokenHash: string; type: string; next: string | undefined };

/** The page of the site that asks for a press of a button before it uses a token. */
export function confirmPage(siteUrl: string, { tokenHash, type, next }: Proof): string {
  const page = new URL(`${siteUrl}/auth/confirm`);
  page.searchParams.set('token_hash', tokenHash);
  page.searchParams.set('type', PAGE_TYPES.get(type) ?? type);
  if (next) page.searchParams.set('next', next);
  return page.href;
}

/**
 * `GET /verify`, the target of links that other templates than ours contain. It changes nothing, because mail
 * scanners open every link; it redirects to a page of the site with a button.
 */
export function redirectToPage(c: Context, { siteUrl }: GatewayContext): Response {
  const page = confirmPage(siteUrl, {
    tokenHash: c.req.query('token_hash') ?? c.req.query('token') ?? '',
    type: c.req.query('type') ?? '',
    next: ownAddress(c.req.query('redirect_to'), siteUrl),
  });
  c.header('referrer-policy', 'no-referrer');
  c.header('cache-control', 'no-store');
  return c.redirect(page, 303);
}

/** @returns undefined for what is no address of this very site */
export function ownAddress(redirectTo: string | undefined, siteUrl: string): string | undefined {
  const url = redirectTo ? URL.parse(redirectTo, siteUrl) : null;
  return url?.origin === new URL(siteUrl).origin ? url.href : undefined;
}
