import { setTimeout as pause } from 'node:timers/promises';
import type { Cache } from './cache.ts';
import { packBest } from './compress.ts';
import { type Copy, canBeSmaller } from './stored-copy.ts';

/** A copy that is asked for so often is worth being packed as small as it can be. */
const SERVED = 2;
/** How long to wait for a moment at which nobody waits for a page. In milliseconds. */
const LOOK_AGAIN_MS = 50;

/** Packs copies that are asked for again as small as they can be: one at a time, while nothing is being rendered. */
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
