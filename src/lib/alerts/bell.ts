import { dataOf } from '../supabase/answer.ts';
import { functionData } from '../supabase/functions.ts';
import { followSite } from '../supabase/site-channel.ts';
import { watchClient } from '../supabase/watch.ts';
import type { Bell } from './ringing.ts';

/** One call begins to tell for 15 s at most, and what it has begun may take 40. */
const LONGEST_CALL_MS = 60_000;

/** The line of the site's own process to a backend, embedded or hosted, and to its function that tells people. */
export function openBell({ url, secretKey }: { url: string; secretKey: string }): Bell {
  const client = watchClient(url, secretKey, LONGEST_CALL_MS);
  return {
    // Null is what the generated types do not know of a function.
    due: async (): Promise<number | null> => dataOf(client.rpc('alerts_due')),
    async ring() {
      const call = client.functions.invoke('deliver-alerts', { body: {}, timeout: LONGEST_CALL_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },

    follow: (written) => followSite(client, 'alerts', { joined: written, message: written }),
  };
}
