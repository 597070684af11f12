import { dataOf } from '../supabase/answer.ts';
import { functionData } from '../supabase/functions.ts';
import { watchClient } from '../supabase/watch.ts';
import type { Bell } from './ringing.ts';

/** One call begins to tell for 15 s at most, and what it has begun may take 40. */
const LONGEST_CALL_MS = 60_000;
/** When the backend has closed the channel itself, the client does not come back. In milliseconds. */
const JOIN_AGAIN_MS = 2_000;

/** The line of the site's own process to a backend, embedded or hosted, and to its function that tells people. */
export function openBell({ url, secretKey }: { url: string; secretKey: string }): Bell {
  const client = watchClient(url, secretKey);
  return {
    // Null is what the generated types do not know of a function.
    due: async (): Promise<number | null> => dataOf(client.rpc('alerts_due')),
    async ring() {
      const call = client.functions.invoke('deliver-alerts', { body: {}, timeout: LONGEST_CALL_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },

    follow(written) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let left = false;
      function join() {
        client
          .channel('site', { config: { private: true } })
          .on('broadcast', { event: 'alerts' }, written)
          .subscribe((status) => {
            // What was said before is not said again.
            if (status === 'SUBSCRIBED') written();
            if (status === 'CLOSED' && !left) timer = setTimeout(join, JOIN_AGAIN_MS);
          });
      }
      join();
      return () => {
        left = true;
        clearTimeout(timer);
        client.realtime.disconnect();
      };
    },
  };
}
