import { randomUUID } from 'node:crypto';
import type { Bench } from './bench.ts';
import { percentile } from './figures.ts';
import { importLiveFeed, longFeed, openNewsroom, signedIn } from './newsroom.ts';
import { startWorker } from './worker.ts';

const READERS = 2_000;
const AT_MOST_S = 60;
/** Followers that have not left by then count as missing. */
const LONGEST_MS = 80_000;

/** How fast followers leave their sockets when a surge is switched on. */
export const surge: Bench = {
  head: 'seconds',
  about:
    `${READERS.toLocaleString('en')} readers follow a coverage by socket, with the code of a page. Then an editor switches ` +
    'the surge on.\nThe time is measured until each reader has checked, learned the new follow mode and closed its socket.',
  async run(endings) {
    const newsroom = await openNewsroom(endings, { STOPPRESS_PROXIES: '1' });
    const coverage = await importLiveFeed(newsroom, longFeed(100), 'surge');
    const editor = await signedIn(newsroom, 'editor');
    const followers = endings.add(startWorker('followers.ts'), (worker) => worker.stop());
    const { url, publishableKey } = newsroom;
    await followers.ask('start', { url, publishableKey, coverage, followers: READERS, sockets: true });

    const turned = Date.now();
    await editor.rpc('set_surge', { idempotency_key: randomUUID(), mode: 'on' }).throwOnError();
    const left = await followers.ask<number[]>('left', LONGEST_MS);
    const seconds = left.map((at) => (at - turned) / 1000);
    // Missing followers have no time.
    const last = left.length === READERS ? percentile(seconds, 1) : Number.NaN;
    return {
      findings: [
        {
          what: `the last of ${READERS.toLocaleString('en')} readers has left its socket`,
          value: last,
          bound: { atMost: AT_MOST_S },
          figures: { half: percentile(seconds, 0.5), left: left.length },
        },
      ],
    };
  },
};
