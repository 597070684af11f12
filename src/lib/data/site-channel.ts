import { createClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { fetchWithin, READ_TIMEOUT_MS } from './fetch-timeout.ts';
import type { BackendClient } from './result.ts';

/** Milliseconds until a channel that the backend closed is joined again. The client does not do so itself. */
const JOIN_AGAIN_MS = 2_000;

type SiteListener = {
  /** The channel was joined or joined again. Messages sent in between are lost. */
  joined(): void;
  /** The channel was lost or could not be joined. */
  lost?(): void;
  message(payload: unknown): void;
};

/**
 * Subscribes to an event of the site's private channel and rejoins it when it is closed.
 * @returns function that ends the subscription and the connection
 */
export function subscribeToSite(client: BackendClient, event: string, listener: SiteListener): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  function join() {
    client
      .channel('site', { config: { private: true } })
      .on('broadcast', { event }, ({ payload }) => listener.message(payload))
      .subscribe((status) => {
        if (status === 'SUBSCRIBED') listener.joined();
        else listener.lost?.();
        if (status === 'CLOSED' && !isStopped) timer = setTimeout(join, JOIN_AGAIN_MS);
      });
  }
  join();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    // Does not wait for the backend's reply: it may be stopping too.
    client.realtime.disconnect();
  };
}

/** Heartbeat interval in milliseconds. A silent connection is noticed within two intervals. */
const HEARTBEAT_MS = 10_000;

/**
 * Creates the client with which the server follows all changes, for cache invalidation and its jobs. It holds the
 * secret key, because visitors may not see every change.
 * @param timeoutMs timeout of a call in milliseconds, including the response body
 */
export function serviceRealtimeClient(
  url: string,
  secretKey: string,
  timeoutMs = READ_TIMEOUT_MS,
): BackendClient {
  return createClient<Database>(url, secretKey, {
    // The callers retry at intervals of their own.
    db: { retry: false },
    global: { fetch: fetchWithin(timeoutMs) },
    realtime: { heartbeatIntervalMs: HEARTBEAT_MS },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
