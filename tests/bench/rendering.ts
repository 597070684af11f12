import { Agent, get } from 'node:http';
import type { Bench } from './bench.ts';
import type { Finding } from './figures.ts';
import { type Coverage, importLiveFeed, longFeed, openNewsroom } from './newsroom.ts';
import { cpuOf } from './process.ts';
import { treeOf } from './pss.ts';

const UPDATES = 1_680;
const COVERAGES = 3;
const UPDATES_PER_PAGE = 10;
/** Connections that ask at once. */
const CONNECTIONS = 8;

/** Maximum processor time of the website for a page, in ms. */
const AT_MOST_MS = 5;
/** Minimum number of pages per second. */
const AT_LEAST = 260;

/** Pages that no reader has requested before. */
export const rendering: Bench = {
  head: 'value',
  about:
    `${COVERAGES} coverages of ${UPDATES.toLocaleString('en')} updates. All their older pages of ten updates, each requested once with Brotli:\n` +
    `those of the first one after the other, the others by ${CONNECTIONS} connections. ms: processor time for a page.`,
  async run(endings) {
    const newsroom = await openNewsroom(endings, { STOPPRESS_PROXIES: '1' });
    const feed = longFeed(UPDATES);
    const coverages: Coverage[] = [];
    for (let n = 0; n < COVERAGES; n++) coverages.push(await importLiveFeed(newsroom, feed, `river-${n}`));
    const [first = [], ...others] = coverages.map(({ slug }) => pagesOf(slug));
    const agent = endings.add(new Agent({ keepAlive: true }), (open) => open.destroy());
    let requests = 0;
    const read = (path: string) => request(newsroom.url + path, agent, requests++);
    // The first pages compile code.
    const [warm, measured] = [first.slice(0, 30), first.slice(30)];
    for (const path of warm) await read(path);

    const processes = treeOf(newsroom.pid).filter((pid) => pid !== newsroom.pid);
    const before = [newsroom.pid, ...processes].map(cpuOf);
    const began = performance.now();
    for (const path of measured) await read(path);
    const [site = Number.NaN, ...rest] = [newsroom.pid, ...processes].map(
      (pid, n) => (cpuOf(pid) - (before[n] ?? 0)) / measured.length,
    );
    const each = (performance.now() - began) / measured.length;

    const queue = others.flat();
    const count = queue.length;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let path = queue.pop(); path !== undefined; path = queue.pop()) await read(path);
      }),
    );
    const perSecond = (1000 * count) / (performance.now() - start);
    const findings: Finding[] = [
      {
        what: 'processor time of the website, ms',
        value: site,
        bound: { atMost: AT_MOST_MS },
        figures: { 'backend ms': rest.reduce((sum, ms) => sum + ms, 0), 'waited ms': each },
      },
      { what: 'pages per second', value: perSecond, bound: { atLeast: AT_LEAST }, figures: {} },
    ];
    return { findings };
  },
};

/** Paths of the pages before the newest one. */
const pagesOf = (slug: string): string[] =>
  Array.from(
    { length: Math.floor(UPDATES / UPDATES_PER_PAGE) - 3 },
    (_, n) => `/live/${slug}?before=${(n + 1) * UPDATES_PER_PAGE + 1}`,
  );

/** Requests a page as a reader of another network, because each may request only a few new pages a second. */
function request(url: string, agent: Agent, reader: number): Promise<void> {
  const address = `10.${reader >> 8}.${reader & 255}.1`;
  const headers = { 'accept-encoding': 'br', 'x-forwarded-for': address };
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${url} answers ${response.statusCode}.`)),
      );
    }).on('error', reject);
  });
}
