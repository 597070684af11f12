import type { ReaderCoverage } from '../coverage/coverage.ts';
import { readPinned } from '../coverage/read.ts';
import { PAGE_ROOM, showWithin } from '../coverage/weight.server.ts';
import { LIMITS } from '../limits.ts';
import type { Site } from '../site/read.ts';
import { readUpdatesBetween } from '../updates/read.ts';

/** What of a coverage stands in a frame: the newest updates and the one that is pinned, within the first round trip. */
export async function readEmbed(coverage: ReaderCoverage, { name }: Site) {
  const { id, update_count: count, kicker, headline } = coverage;
  const [updates, pinned] = await Promise.all([
    readUpdatesBetween(id, Math.max(1, count - LIMITS.page_size + 1), count),
    readPinned(coverage),
  ]);
  const content = { updates, pinned, summary: [], keyEvents: { events: [], more: false } };
  return { updates, pinned, shown: await showWithin(content, [headline, kicker, name], PAGE_ROOM) };
}

export type Embed = Awaited<ReturnType<typeof readEmbed>>;
