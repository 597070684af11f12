import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type OgImage, serverBridge } from '../../data/server-bridge.ts';
import { ogImageDigest } from '../../publishing/og-image.ts';
import { createWorkerProcess } from '../worker-process.ts';
import type { DrawRequest } from './worker.ts';

const PROGRAM = resolve(import.meta.dirname, 'worker.ts');

/** An image takes 0.1 s, the first one 0.5 s, but many seconds on a busy server. In milliseconds. */
const TIMEOUT_MS = 15_000;
/** The process ends after this time without a request, to free its memory. In milliseconds. */
const IDLE_MS = 20_000;
/** Images that may wait. Above that, requests get no image. */
const MAX_WAITING = 30;
/**
 * Memory for about 400 drawn images without a photo, or 80 with one, in bytes. The page of a busy coverage is
 * rendered often, its image once.
 */
const CACHE_BYTES = 8 * 1024 * 1024;

/**
 * Draws Open Graph images in a separate process, one at a time, and caches them by content.
 * @returns a function that stops it
 */
export function startOgImageRenderer({
  idle = IDLE_MS,
  longest: timeoutMs = TIMEOUT_MS,
  program = PROGRAM,
} = {}): () => void {
  const drawn = new LRUCache<string, Uint8Array>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 100,
  });
  const pending = new Map<string, Promise<Uint8Array | null>>();
  const worker = createWorkerProcess<DrawRequest, Uint8Array>({ program, idleMs: idle, timeoutMs });
  let stopped = false;

  /** Reads the photo before the drawing process gets the image, because that process has no network. */
  async function drawNow(
    image: OgImage,
    digest: string,
    readPhoto: () => Promise<Uint8Array | null>,
  ): Promise<Uint8Array | null> {
    const photo = image.photo === undefined ? null : await readPhoto();
    if (stopped) return null;
    const picture = await worker.request({ image, photo });
    // Without its photo the image is drawn again for the next request.
    if (picture && (photo || image.photo === undefined)) drawn.set(digest, picture);
    return picture;
  }

  async function draw(
    image: OgImage,
    readPhoto: () => Promise<Uint8Array | null> = async () => null,
  ): Promise<Uint8Array | null> {
    const digest = ogImageDigest(image);
    const cached = drawn.get(digest);
    if (cached) return cached;
    const known = pending.get(digest);
    if (known) return known;
    if (stopped || pending.size >= MAX_WAITING) return null;
    const request = drawNow(image, digest, readPhoto).finally(() => pending.delete(digest));
    pending.set(digest, request);
    return request;
  }

  serverBridge.renderOgImage = draw;
  return () => {
    stopped = true;
    serverBridge.renderOgImage = undefined;
    worker.stop();
  };
}
