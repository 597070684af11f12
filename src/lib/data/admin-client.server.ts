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

/**
 * Fetches an object of storage with the secret key, as a stream.
 * @param path path within the bucket, without characters that a URL encodes
 * @param range bytes to fetch, both ends included
 */
export function fetchObject(
  bucket: string,
  path: string,
  range?: { start: number; end: number },
  signal: AbortSignal | null = null,
): Promise<Response> {
  const key = secretKey();
  const headers = {
    apikey: key,
    Authorization: `Bearer ${key}`,
    ...(range && { Range: `bytes=${range.start}-${range.end}` }),
  };
  const url = new URL(`/storage/v1/object/authenticated/${bucket}/${path}`, backendSettings().url);
  return fetch(url, { headers, signal });
}

function secretKey(): string {
  const key = process.env.SUPABASE_SECRET_KEY;
  if (!key) throw new Error('SUPABASE_SECRET_KEY must be set.');
  return key;
}
