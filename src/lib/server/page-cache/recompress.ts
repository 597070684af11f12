import { setTimeout as pause } from 'node:timers/promises';
import type { Cache } from './cache.ts';
import { packBest } from './compress.ts';
import { type Copy, canBeSmaller } from './stored-copy.ts';

/** A stored response is recompressed once it was served this often. */
const SERVED = 2;
/** Interval at which a waiting recompression checks whether rendering has stopped. In milliseconds. */
const LOOK_AGAIN_MS = 50;

/** Recompresses frequently served responses, one at a time and only while no page is rendered. */
export function openPolish(cache: Pick<Cache, 'isKept' | 'isQuiet' | 'repack'>) {
  let busy = false;

  async function polish(key: string, copy: Copy): Promise<void> {
    busy = true;
    try {
      while (!cache.isQuiet()) await pause(LOOK_AGAIN_MS, undefined, { ref: false });
      if (cache.isKept(key, copy)) cache.repack(key, copy, await packBest(copy.bodies));
    } finally {
      busy = false;
    }
  }

  return (key: string, copy: Copy): void => {
    if (!busy && copy.served >= SERVED && canBeSmaller(copy)) void polish(key, copy);
  };
}
