import type { EmailOtpType } from '@supabase/supabase-js';
import { anonClient } from './backend.ts';

/**
 * Does what the page at the end of a mailed or copied link does when its button is pressed.
 * @param as another type than the link's own, to see it refused
 * @returns the client that is signed in, if it worked, and what it was answered
 */
export async function pressLink(backend: Parameters<typeof anonClient>[0], link: string, as?: EmailOtpType) {
  const { searchParams } = new URL(link);
  const client = anonClient(backend);
  const { data, error } = await client.auth.verifyOtp({
    token_hash: searchParams.get('token_hash') ?? '',
    type: as ?? (searchParams.get('type') as EmailOtpType),
  });
  return { client, data, error };
}
