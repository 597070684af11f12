import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type Developed, develop, type Undeveloped } from './process-photo.server.ts';

/*
 * Develops one photo in a process of its own, which knows no key and no address: what a hostile file breaks is this
 * process and no more. Readers go before it, and where memory is short it is the first to go.
 */
const [file = '', folder = ''] = process.argv.slice(2);

/** An AVIF of 50 megapixels, the hungriest of all, was seen to take 970 MB; most take a tenth of that. */
const MOST_MEMORY_BYTES = 1_100 * 1024 * 1024;
/** In seconds of a core, of which 50 megapixels take three. By the clock it may be a hundred, behind busy readers. */
const MOST_CPU_S = 30;
const LOOK_MS = 50;

const answer = (result: Developed | Undeveloped) => process.send?.(result, () => process.exit(0));

process.on('disconnect', () => process.exit(1));
setPriority(10);
try {
  // Where there is such a thing.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}
setInterval(() => {
  const { user, system } = process.cpuUsage();
  const isTooMuch = process.memoryUsage.rss() > MOST_MEMORY_BYTES || user + system > MOST_CPU_S * 1_000_000;
  if (isTooMuch) answer({ refusal: 'too_large' });
}, LOOK_MS);

answer(await develop(file, folder));
