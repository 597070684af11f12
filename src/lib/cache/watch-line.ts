import { dataOf } from '../supabase/answer.ts';
import { followSite } from '../supabase/site-channel.ts';
import { watchClient } from '../supabase/watch.ts';
import type { Line } from './watch.ts';
import { readSeqs } from './watch-message.ts';

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

    follow: (ears) => followSite(client, 'change', ears),
  };
}
