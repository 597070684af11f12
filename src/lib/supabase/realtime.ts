import { RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from './browser.ts';

/** The longest that a timer can wait: 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * A client for realtime alone, as nobody: a quarter of what the whole client weighs. It does not connect again by
 * itself; whoever has it decides when.
 */
export function realtimeClient({ publicUrl, publishableKey }: BrowserBackend): RealtimeClient {
  const url = new URL('/realtime/v1', new URL(publicUrl, window.location.origin));
  url.protocol = url.protocol.replace('http', 'ws');
  return new RealtimeClient(url.href, {
    params: { apikey: publishableKey },
    reconnectAfterMs: () => NEVER_MS,
  });
}
