import { RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from './browser-client.ts';

/**
 * A client for realtime alone: a quarter of what the whole client weighs.
 * @param waitToOpen milliseconds until a line that broke is opened again, after so many tries
 * @param accessToken of whoever it is for; nobody where there is none
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
