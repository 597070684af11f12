import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { fetchWithin, LONGEST_READ_MS } from './fetch-timeout.ts';

/** When the backend has closed the channel itself, the client does not come back. In milliseconds. */
const JOIN_AGAIN_MS = 2_000;

export type SiteEars = {
  /** The line is there, for the first time or again: what was said meanwhile is not said again. */
  joined(): void;
  /** It is not there any more, or could not be had. */
  lost?(): void;
  message(payload: unknown): void;
};

/**
 * Hears what the database tells the site's own servers, for as long as it can.
 * @returns ends it, and the client's line
 */
export function followSite(client: SupabaseClient<Database>, event: string, ears: SiteEars): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let left = false;
  function join() {
    client
      .channel('site', { config: { private: true } })
      .on('broadcast', { event }, ({ payload }) => ears.message(payload))
      .subscribe((status) => {
        if (status === 'SUBSCRIBED') ears.joined();
        else ears.lost?.();
        if (status === 'CLOSED' && !left) timer = setTimeout(join, JOIN_AGAIN_MS);
      });
  }
  join();
  return () => {
    left = true;
    clearTimeout(timer);
    // Nobody waits for the other side's answer: it may be stopping too, or stand still.
    client.realtime.disconnect();
  };
}

/** How soon a line that has gone silent is noticed: within two of these. */
const HEARTBEAT_MS = 10_000;

/**
 * The client of the watch over the cache, and of what rings for alerts, in the server around the pages: it hears of every
 * change, which is for no visitor, and so holds the secret key.
 * @param longest milliseconds that a call may take, to the end of its answer
 */
export function watchClient(
  url: string,
  secretKey: string,
  longest = LONGEST_READ_MS,
): SupabaseClient<Database> {
  return createClient<Database>(url, secretKey, {
    // The watch has its own pauses between questions.
    db: { retry: false },
    global: { fetch: fetchWithin(longest) },
    realtime: { heartbeatIntervalMs: HEARTBEAT_MS },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
