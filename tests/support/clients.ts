import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { BackendProcess } from './backend-process.ts';

/** What it takes to be a client of a backend. */
export type Door = Pick<BackendProcess, 'url' | 'publishableKey' | 'secretKey'> &
  Partial<Pick<BackendProcess, 'headers'>>;

/** A client as a browser has it, without limits: the publishable key, a session in memory only. */
export function anonClient({ url, publishableKey, headers }: Door): SupabaseClient {
  const auth = { persistSession: false, autoRefreshToken: false };
  return createClient(url, publishableKey, { auth, global: { headers } });
}

/** A client as the server has it: the secret key, past every policy. */
export function serviceClient({ url, secretKey }: Door): SupabaseClient {
  return createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
}
