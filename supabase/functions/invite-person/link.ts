/**
 * The site's own page of an invitation, by the address that the server gives this function (SITE_URL): never by what a
 * caller names, who could have the secret mailed in a link to somebody else's site.
 */
export function linkWith(secret: string): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(`/invites/${secret}`, site).href;
}
