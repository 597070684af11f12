/**
 * Returns the URL of an invite. The site's URL comes from SITE_URL and not from the request, so that no caller can
 * have the secret mailed in a link to another site.
 */
export function linkWith(secret: string): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(`/invites/${secret}`, site).href;
}
