import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';

export type BrowserBackend = { publicUrl: string; publishableKey: string };

/**
 * The client of the desk's islands. It never holds a session: the refresh token stays in its HttpOnly
 * cookie, and `accessToken` answers a short-lived token for each call (null when signed out).
 */
export function browserClient(
  backend: BrowserBackend,
  accessToken: () => Promise<string | null>,
): SupabaseClient<Database> {
  const url = new URL(backend.publicUrl, window.location.origin).href;
  return createClient<Database>(url, backend.publishableKey, { accessToken, global: { fetch: fetchInTime } });
}

/** Milliseconds after which a line that says nothing counts as gone. */
const LONGEST_SILENCE_MS = 20_000;

/** As fetch, but that it gives up; the caller's own signal counts too. */
export function fetchInTime(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const late = AbortSignal.timeout(LONGEST_SILENCE_MS);
  return fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late });
}
