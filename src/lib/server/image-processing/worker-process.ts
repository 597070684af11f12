import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createRenditions, type ProcessedPhoto, type RefusedPhoto } from './process-photo.server.ts';

/* Processes one photo in a process without keys or addresses, so that a hostile file can break only this process. It
   runs at low priority and is the first to be killed when memory is short. */
const [file = '', folder = ''] = process.argv.slice(2);

/** An AVIF of 50 megapixels, the most expensive case, took 970 MB; most photos take a tenth. */
const MAX_MEMORY_BYTES = 1_100 * 1024 * 1024;
/** CPU time in seconds. 50 megapixels take three. Wall-clock time can be a hundred on a busy server. */
const MAX_CPU_S = 30;
const CHECK_MS = 50;

const answer = (result: ProcessedPhoto | RefusedPhoto) => process.send?.(result, () => process.exit(0));

process.on('disconnect', () => process.exit(1));
setPriority(10);
try {
  // Exists on Linux only.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}
setInterval(() => {
  const { user, system } = process.cpuUsage();
  const isTooMuch = process.memoryUsage.rss() > MAX_MEMORY_BYTES || user + system > MAX_CPU_S * 1_000_000;
  if (isTooMuch) answer({ refusal: 'too_large' });
}, CHECK_MS);

answer(await createRenditions(file, folder));
