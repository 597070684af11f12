import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import type { Card } from '../../publishing/og-image/card.ts';
import { draw } from '../../publishing/og-image/renderer.server.ts';

/*
 * Draws cards, one after the other, in a process of its own that knows no key and no address: a typeface, a library in C
 * and words that anybody may have written meet here and nowhere else. Readers go before it.
 */

/** One that has grown so large has something wrong with it; a hundred cards took 200 MB. */
const MOST_MEMORY_BYTES = 600 * 1024 * 1024;

process.on('disconnect', () => process.exit(0));
setPriority(10);
try {
  // Where there is such a thing.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}

let before: Promise<unknown> = Promise.resolve();

process.on('message', ({ id, card }: { id: number; card: Card }) => {
  before = before.then(async () => {
    const png = await draw(card).catch((error: unknown) => {
      log.error(SERVER.notDrawn, { error });
      return null;
    });
    process.send?.({ id, png });
    if (process.memoryUsage.rss() > MOST_MEMORY_BYTES) process.exit(1);
  });
});
