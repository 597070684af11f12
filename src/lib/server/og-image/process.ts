import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import type { OgImage } from '../../publishing/og-image/og-image.ts';
import { renderOgImage } from '../../publishing/og-image/renderer.server.ts';

/* Draws Open Graph images one at a time in a process without keys or addresses: a font, a C library and untrusted
   text are combined only here. It runs at low priority. */

/** Above this size the process restarts. A hundred images took 200 MB. */
const MAX_MEMORY_BYTES = 600 * 1024 * 1024;

process.on('disconnect', () => process.exit(0));
setPriority(10);
try {
  // Exists on Linux only.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}

let previous: Promise<unknown> = Promise.resolve();

process.on('message', ({ id, image }: { id: number; image: OgImage }) => {
  previous = previous.then(async () => {
    const png = await renderOgImage(image).catch((error: unknown) => {
      log.error(SERVER.notDrawn, { error });
      return null;
    });
    process.send?.({ id, png });
    if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) process.exit(1);
  });
});
