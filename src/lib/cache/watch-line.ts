import { dataOf } from '../supabase/answer.ts';
import { watchClient } from '../supabase/watch.ts';
import type { Line } from './watch.ts';
import { readSeqs } from './watch-message.ts';

/** When the backend has closed the channel itself, the client does not come back. In milliseconds. */
const JOIN_AGAIN_MS = 2_000;

/** The line of the site's own process to a backend, embedded or hosted. */
export type SiteLine = Line & {
  /** Says that this process is loaded, for a while. */
  surge(): Promise<unknown>;
};

export function openLine({ url, secretKey }: { url: string; secretKey: string }): SiteLine {
  const client = watchClient(url, secretKey);
  return {
    seqs: async () => readSeqs(await dataOf(client.rpc('site_seqs'))),
    surge: async () => dataOf(client.rpc('surge_by_load')),

    follow({ joined, message }) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let left = false;
      function join() {
        client
          .channel('site', { config: { private: true } })
          .on('broadcast', { event: 'change' }, ({ payload }) => message(payload))
          .subscribe((status) => {
            if (status === 'SUBSCRIBED') joined();
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
    },
  };
}
