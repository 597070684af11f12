import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { BackendProcess } from './backend-process.ts';

/** What it takes to be a client of a backend. */
export type Door = Pick<BackendProcess, 'url' | 'publishableKey' | 'secretKey'>;

/** A client as a browser has it: the publishable key, a session in memory only. */
export function anonClient({ url, publishableKey }: Door): SupabaseClient {
  return createClient(url, publishableKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** A client as the server has it: the secret key, past every policy. */
export function serviceClient({ url, secretKey }: Door): SupabaseClient {
  return createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
}
