import { RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from './browser-client.ts';

/**
 * Creates a Realtime client without the rest of supabase-js, which is a quarter of the size.
 * @param waitToOpen returns the milliseconds to wait before reconnecting, after a number of attempts
 * @param accessToken returns the token of the signed-in person; omitted for visitors
 */
export function realtimeClient(
  { publicUrl, publishableKey }: BrowserBackend,
  waitToOpen: (tries: number) => number,
  accessToken?: () => Promise<string>,
): RealtimeClient {
  const url = new URL('/realtime/v1', new URL(publicUrl, window.location.origin));
  url.protocol = url.protocol.replace('http', 'ws');
  return new RealtimeClient(url.href, {
    params: { apikey: publishableKey },
    reconnectAfterMs: waitToOpen,
    ...(accessToken ? { accessToken } : {}),
  });
}
