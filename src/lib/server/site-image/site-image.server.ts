import { resolve } from 'node:path';
import { type DrawnSiteImage, serverBridge } from '../../data/server-bridge.ts';
import { createWorkerProcess } from '../worker-process.ts';
import type { SiteImageRequest } from './worker.ts';

const PROGRAM = resolve(import.meta.dirname, 'worker.ts');

/** An image takes 0.5 s, but many seconds on a busy server. In milliseconds. */
const TIMEOUT_MS = 20_000;
/** The process ends after this time without a request, to free its memory. In milliseconds. */
const IDLE_MS = 10_000;

/**
 * Draws logos and icons of the site in a separate process.
 * @returns a function that stops it
 */
export function startSiteImages(): () => void {
  const worker = createWorkerProcess<SiteImageRequest, DrawnSiteImage>({
    program: PROGRAM,
    idleMs: IDLE_MS,
    timeoutMs: TIMEOUT_MS,
  });
  serverBridge.drawSiteImage = (content, format) => worker.request({ content, format });
  return () => {
    serverBridge.drawSiteImage = undefined;
    worker.stop();
  };
}
