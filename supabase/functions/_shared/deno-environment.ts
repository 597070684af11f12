/** Returns the secret key of the backend, from which the keys of stored secrets are derived. */
export function backendSecretKey(): string {
  const [key] = Object.values(JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS') ?? '{}'));
  if (typeof key !== 'string') throw new Error('SUPABASE_SECRET_KEYS is not set.');
  return key;
}

/** Returns the URL of a path of the website, for links. No request can change its host. */
export function websiteUrl(path: string): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(path, site).href;
}
