import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../engine/sync-folder.ts';
import type { Place } from './place.ts';
import { swap } from './steps.ts';

/** PGlite's: a folder. @param unfinished a new folder on the disk of the data, which somebody else throws away */
export function folderPlace(data: string, unfinished: string, stamp: string): Place {
  const [incoming, place] = [join(unfinished, 'db'), join(data, 'db')];
  const aside = `${place}.before-restore-${stamp}`;
  return {
    where: { data: unfinished, databaseUrl: undefined },
    occupied: existsSync(place),
    async *swap() {
      await syncFolder(incoming);
      yield* swap(incoming, place, aside);
    },
    close: async () => {},
  };
}
