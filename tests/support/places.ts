import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { copyData, MIGRATIONS, newDataFolder, removeData } from './data-template.ts';
import { ENGINE, whereIs } from './engine.ts';

/** Where a newsroom may be: what a program's environment says of it. */
export type Place = { data: string; environment: Record<string, string> };

/** The engines that a newsroom can move between in this project. */
export const ENGINES: ('pglite' | 'postgres')[] = ENGINE === 'pglite' ? ['pglite'] : ['pglite', 'postgres'];

/** Places that do not exist yet, for one test file. */
export function places(migrations = MIGRATIONS) {
  const parents: string[] = [];
  const used: string[] = [];
  const placeOf = (data: string): Place => {
    used.push(data);
    return { data, environment: { ...whereIs(data), STOPPRESS_MIGRATIONS: migrations } };
  };
  return {
    async none(engine: 'pglite' | 'postgres' = ENGINE): Promise<Place> {
      const parent = await mkdtemp(join(tmpdir(), 'stoppress-place-'));
      parents.push(parent);
      // On PostgreSQL a database gets the folder's name, so no two may share one.
      const data = join(parent, basename(parent));
      used.push(data);
      const where = engine === 'pglite' ? { STOPPRESS_DATA: data } : whereIs(data);
      return { data, environment: { ...where, STOPPRESS_MIGRATIONS: migrations } };
    },
    /** A place with these migrations, and nothing else in it. */
    fresh: async () => placeOf(await newDataFolder(migrations)),
    /** Another newsroom like this one, which is not running. */
    like: async ({ data }: Place) => placeOf(await copyData(data)),
    async forget() {
      for (const data of used.splice(0)) await removeData(data);
      for (const parent of parents.splice(0)) await rm(parent, { recursive: true, force: true });
    },
  };
}
