import { backendSettings } from './environment.ts';
import { fetchWithin, JOB_TIMEOUT_MS } from './fetch-timeout.ts';
import type { BackendClient } from './result.ts';
import { serviceClient } from './service-client.ts';

let shared: BackendClient | undefined;

/**
 * Returns the shared client with the secret key, which passes every policy. Check with the visitor's own client first
 * that the visitor is allowed to do the action.
 */
export function adminClient(): BackendClient {
  shared ??= serviceClient(backendSettings().url, secretKey(), fetchWithin(JOB_TIMEOUT_MS));
  return shared;
}

function secretKey(): string {
  const key = process.env.SUPABASE_SECRET_KEY;
  if (!key) throw new Error('SUPABASE_SECRET_KEY must be set.');
  return key;
}
