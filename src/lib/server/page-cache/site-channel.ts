import { dataOf } from '../../data/result.ts';
import { followSite, watchClient } from '../../data/site-channel.ts';
import type { Line } from './invalidation.ts';
import { readSeqs } from './site-messages.ts';

/** The website's connection to the backend for cache invalidation. */
export type SiteLine = Line & {
  /** Reports to the database that this process is overloaded, which turns on surge mode for a while. */
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
