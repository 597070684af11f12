import type { Coordinates } from '../../domain/body/places.ts';
import { runWorker } from '../worker-process.ts';
import { drawMap } from './drawing.ts';
import { type Bounds, openTiles, type Tiles } from './tiles.ts';

/** A place to draw; null asks for the area of the basemap only. */
export type MapRequest = Coordinates | null;
/** `refused`: what is wrong with the file. */
export type MapAnswer = { bounds: Bounds; picture: string | null } | { refused: string };

/** Above this size the process restarts. */
const MAX_MEMORY_BYTES = 400 * 1024 * 1024;

const [path = ''] = process.argv.slice(2);
let opened: Promise<Tiles> | undefined;

/** The file, its libraries and its hostile content are combined only in this process. */
async function respond(place: MapRequest): Promise<MapAnswer> {
  try {
    opened ??= openTiles(path);
    const tiles = await opened;
    return { bounds: tiles.bounds, picture: place && (await drawMap(tiles, place)) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

if (import.meta.main) runWorker(respond, MAX_MEMORY_BYTES);
