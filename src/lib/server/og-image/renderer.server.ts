import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type OgImage, serverBridge } from '../../data/server-bridge.ts';
import { ogImageDigest } from '../../publishing/og-image.ts';

const PROGRAM = resolve(import.meta.dirname, 'worker.ts');

/** An image takes 0.1 s, the first one 0.5 s, but many seconds on a busy server. In milliseconds. */
const TIMEOUT_MS = 15_000;
/** The process ends after this time without a request, to free its memory. In milliseconds. */
const IDLE_MS = 20_000;
/** Images that may wait. Above that, requests get no image. */
const MAX_WAITING = 30;
/** Memory for about 400 drawn images, in bytes. The page of a busy coverage is rendered often, its image once. */
const CACHE_BYTES = 8 * 1024 * 1024;

type Answer = { id: number; png: Uint8Array | null };

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
  const waiting = new Map<number, (png: Uint8Array | null) => void>();
  let child: ChildProcess | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let stopped = false;

  function startProcess(): ChildProcess {
    const { PATH, TMPDIR } = process.env;
    const forked = fork(program, {
      // Without the keys and addresses of this process.
      env: { PATH, TMPDIR },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    forked.on('message', (message) => {
      const { id, png } = message as Answer;
      settle(id, png);
    });
    // A process that cannot be started emits an error but no exit.
    const end = () => {
      if (child !== forked) return;
      child = undefined;
      for (const id of [...waiting.keys()]) settle(id, null);
    };
    forked.on('error', end);
    forked.once('exit', end);
    return forked;
  }

  function settle(id: number, png: Uint8Array | null): void {
    waiting.get(id)?.(png);
    waiting.delete(id);
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(kill, timeoutMs);
    else if (child) timer = setTimeout(kill, idle).unref();
  }

  function kill(): void {
    child?.kill('SIGKILL');
  }

  function requestImage(image: OgImage): Promise<Uint8Array | null> {
    const { promise, resolve: answer } = Promise.withResolvers<Uint8Array | null>();
    const id = ++last;
    child ??= startProcess();
    waiting.set(id, answer);
    if (waiting.size === 1) {
      clearTimeout(timer);
      timer = setTimeout(kill, timeoutMs);
    }
    child.send({ id, image }, (error) => error && settle(id, null));
    return promise;
  }

  async function draw(image: OgImage): Promise<Uint8Array | null> {
    const digest = ogImageDigest(image);
    const cached = drawn.get(digest);
    if (cached) return cached;
    const known = pending.get(digest);
    if (known) return known;
    if (stopped || waiting.size >= MAX_WAITING) return null;
    const request = requestImage(image).finally(() => pending.delete(digest));
    pending.set(digest, request);
    const png = await request;
    if (png) drawn.set(digest, png);
    return png;
  }

  serverBridge.renderOgImage = draw;
  return () => {
    stopped = true;
    serverBridge.renderOgImage = undefined;
    clearTimeout(timer);
    kill();
  };
}
