import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type LatencyProxy, type NetworkProfile, startLatencyProxy } from '../support/network-latency.ts';
import type { Endings } from './endings.ts';
import { type Coverage, importLiveFeed, type Newsroom, openNewsroom } from './newsroom.ts';

export type FarNewsroom = { line: LatencyProxy; newsroom: Newsroom };

/** A site behind a simulated connection, sockets included. The proxy's address is the site's address. */
export async function openFarNewsroom(endings: Endings, manner: NetworkProfile): Promise<FarNewsroom> {
  const line = endings.add(await startLatencyProxy('http://127.0.0.1:9', manner), (open) => open.close());
  const newsroom = await openNewsroom(endings, { SITE_URL: line.url });
  line.setTarget(newsroom.url);
  return { line, newsroom };
}

/** Another connection to a site, with another profile. */
export const openLineTo = async (
  endings: Endings,
  { url }: Newsroom,
  manner: NetworkProfile,
): Promise<LatencyProxy> => endings.add(await startLatencyProxy(url, manner), (open) => open.close());

/** Changes settings of a coverage as an editor. */
export async function setCoverage(
  { service }: Newsroom,
  { id }: Coverage,
  content: Record<string, unknown>,
): Promise<void> {
  const { data } = await service.from('coverages').select('version').eq('id', id).single().throwOnError();
  const args = { idempotency_key: randomUUID(), coverage_id: id, version: data.version, content };
  await service.rpc('save_coverage', args).throwOnError();
}

/** Seconds between checks. */
export const INTERVAL_S = 30;

/** Two coverages with the same content, one followed by socket and one by checks. */
export async function bringInBoth(newsroom: Newsroom, feed: string) {
  const bySocket = await importLiveFeed(newsroom, feed, 'by-socket');
  const byChecks = await importLiveFeed(newsroom, feed, 'by-checks');
  await setCoverage(newsroom, byChecks, { reader_follow_mode: 'checks', check_interval_seconds: INTERVAL_S });
  return { bySocket, byChecks };
}

/** The requests for changes on a connection. */
export const questionsOn = (line: LatencyProxy) =>
  line.exchanges().filter(({ request }) => request.includes('/changes?'));

const STEP_MS = 50;

/** Waits until the connection is idle, or until a maximum in ms. */
export async function untilQuiet(line: LatencyProxy, quiet = 1_000, longest = 30_000): Promise<void> {
  const end = performance.now() + longest;
  let [last, since] = ['', performance.now()];
  while (performance.now() - since < quiet && performance.now() < end) {
    const now = JSON.stringify(line.bytes());
    if (now !== last) [last, since] = [now, performance.now()];
    await wait(STEP_MS);
  }
}
