import { dataOf } from '../../data/result.ts';
import { followSite, watchClient } from '../../data/site-channel.ts';
import type { Line } from './invalidation.ts';
import { readSeqs } from './site-messages.ts';

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
