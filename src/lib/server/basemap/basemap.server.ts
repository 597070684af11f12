import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { log } from '../../data/log.ts';
import { serverBridge } from '../../data/server-bridge.ts';
import { type Coordinates, geoUri } from '../../domain/body/places.ts';
import { SERVER } from '../../i18n/cli.ts';
import { createWorkerProcess } from '../worker-process.ts';
import { covers } from './drawing.ts';
import type { MapAnswer, MapRequest } from './worker.ts';

const PROGRAM = resolve(import.meta.dirname, 'worker.ts');

/** A picture takes 0.2 s, the first one 0.5 s, but seconds on a busy server. In milliseconds. */
const TIMEOUT_MS = 10_000;
/** The process ends after this time without a request, to free its memory. In milliseconds. */
const IDLE_MS = 20_000;
/** Memory of the process for JavaScript, in MB. A file that needs more is refused. */
const HEAP_MB = 256;
/** Pictures that may wait. Above that, requests get none. */
const MAX_WAITING = 30;
/** Memory for about 100 pictures, in bytes. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** Time for which a place that could not be drawn is not tried again, in milliseconds. */
const RETRY_MS = 10 * 60_000;
/** Consecutive failures after which the file is not read again until the next start. */
const MAX_FAILURES = 3;

/**
 * Draws maps from the owner's basemap in a separate process, one at a time, and caches them. A file that cannot be
 * read, or that breaks the process, is refused with a line in the log: then maps have no picture.
 * @param path of a PMTiles file; undefined for none
 * @returns a function that stops it
 */
export async function startBasemap(
  path: string | undefined,
  { timeoutMs = TIMEOUT_MS, heapMb = HEAP_MB } = {},
): Promise<() => void> {
  if (path === undefined) return () => {};
  const drawn = new LRUCache<string, string>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 100,
  });
  const failed = new LRUCache<string, true>({ max: 1_000, ttl: RETRY_MS });
  const pending = new Map<string, Promise<string | null>>();
  const worker = createWorkerProcess<MapRequest, MapAnswer>({
    program: PROGRAM,
    args: [path],
    nodeArgs: [`--max-old-space-size=${heapMb}`],
    idleMs: IDLE_MS,
    timeoutMs,
  });
  let failures = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Sends a request after the answer to the one before, so that a process that ends fails only one of them. */
  function request(place: MapRequest): Promise<MapAnswer | null> {
    const answer = last.then(() => worker.request(place));
    last = answer;
    return answer;
  }

  async function ask(place: MapRequest) {
    const answer = await request(place);
    if (answer && 'bounds' in answer) {
      failures = 0;
      return answer;
    }
    failures++;
    const isRefused = place === null || failures >= MAX_FAILURES;
    if (isRefused) serverBridge.basemap = undefined;
    const reason = answer?.refused ?? SERVER.basemapTooSlow;
    log.error(isRefused ? SERVER.basemapRefused : SERVER.mapNotDrawn, { path, reason });
    return null;
  }

  async function drawNow(place: Coordinates, key: string): Promise<string | null> {
    const picture = (await ask(place))?.picture ?? null;
    if (picture) drawn.set(key, picture);
    else failed.set(key, true);
    return picture;
  }

  async function draw(place: Coordinates): Promise<string | null> {
    const key = geoUri(place);
    const known = drawn.get(key) ?? pending.get(key);
    if (known !== undefined) return known;
    if (failed.has(key) || failures >= MAX_FAILURES || pending.size >= MAX_WAITING) return null;
    const drawing = drawNow(place, key).finally(() => pending.delete(key));
    pending.set(key, drawing);
    return drawing;
  }

  const opened = await ask(null);
  if (opened) serverBridge.basemap = { covers: (place) => covers(opened.bounds, place), draw };
  return () => {
    serverBridge.basemap = undefined;
    worker.stop();
  };
}
