/** Returns the secret key of the backend, from which the keys of stored secrets are derived. */
export function backendSecretKey(): string {
  const [key] = Object.values(JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS') ?? '{}'));
  if (typeof key !== 'string') throw new Error('SUPABASE_SECRET_KEYS is not set.');
  return key;
}
