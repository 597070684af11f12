/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Returns the SHA-256 hash in hexadecimal, which the database stores instead of the secret. */
export async function secretHash(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the URL of an invite. The site's URL comes from SITE_URL and not from the request, so that no caller can
 * have the secret mailed in a link to another site.
 */
export function inviteLink(secret: string): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(`/invites/${secret}`, site).href;
}
