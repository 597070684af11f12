import { RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from './browser.ts';

/**
 * A client for realtime alone, as nobody: a quarter of what the whole client weighs.
 * @param waitToOpen milliseconds until a line that broke is opened again, after so many tries
 */
export function realtimeClient(
  { publicUrl, publishableKey }: BrowserBackend,
  waitToOpen: (tries: number) => number,
): RealtimeClient {
  const url = new URL('/realtime/v1', new URL(publicUrl, window.location.origin));
  url.protocol = url.protocol.replace('http', 'ws');
  return new RealtimeClient(url.href, { params: { apikey: publishableKey }, reconnectAfterMs: waitToOpen });
}
