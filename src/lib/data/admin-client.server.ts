import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { backendSettings } from './backend-settings.ts';
import { fetchWithin, LONGEST_WORK_MS } from './fetch-timeout.ts';
import { serviceClient } from './service-client.ts';

let shared: SupabaseClient<Database> | undefined;

/**
 * The one door to the secret key in the process that answers visitors: a client that passes every policy. Whoever
 * opens it has asked the database first, under the visitor's own rights, whether that visitor may do the thing.
 */
export function admin(): SupabaseClient<Database> {
  shared ??= serviceClient(backendSettings().url, secretKey(), fetchWithin(LONGEST_WORK_MS));
  return shared;
}

function secretKey(): string {
  const key = process.env.SUPABASE_SECRET_KEY;
  if (!key) throw new Error('SUPABASE_SECRET_KEY must be set.');
  return key;
}
