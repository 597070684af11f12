/// <reference lib="deno.window" />
// The main thread of a function's Deno process. It runs the function in a separate thread, so that it can end the
// process even if the function loops endlessly or takes too much memory. It also ends the process when the backend has
// ended, even if the backend was killed.

import process from 'node:process';
import { EXIT_CODES, type SupervisorMessage, type WorkerMessage } from './protocol.ts';

/**
 * Interval of heartbeats, and how many of them in a row the function may miss: 2 s in total, as on a hosted project.
 * Heartbeats are counted instead of time, because a busy machine delays both threads.
 */
const HEARTBEAT_MS = 250;
const MISSED_HEARTBEATS = 8;

/** Interval of memory checks in milliseconds. A function can allocate some hundred megabytes within it. */
const MEMORY_CHECK_MS = 50;

/** Maximum memory of the whole process in bytes: 256 MB for the function, as on a hosted project, and Deno itself. */
const MAX_MEMORY_BYTES = 320 * 1024 * 1024;

process.on('disconnect', () => Deno.exit(0));

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const sendToWorker = (message: SupervisorMessage) => worker.postMessage(message);

function end(reason: keyof typeof EXIT_CODES): never {
  Deno.exit(EXIT_CODES[reason]);
}

let missedHeartbeats: number | undefined;

worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if (data === 'ready') {
    missedHeartbeats = 0;
    process.send?.('ready');
  } else if (data === 'beat') {
    missedHeartbeats = 0;
  } else if (data === 'failed') {
    end('failed');
  } else if (data === 'ended') {
    end('finished');
  }
});

// Deno has already logged the error.
worker.addEventListener('error', (event) => {
  event.preventDefault();
  end(missedHeartbeats === undefined ? 'failed' : 'uncaught');
});

process.on('message', (message) => {
  if (message === 'end') sendToWorker('end');
});

setInterval(() => {
  if (missedHeartbeats === undefined) return;
  if (missedHeartbeats >= MISSED_HEARTBEATS) {
    console.error(
      `It did not respond for ${(HEARTBEAT_MS * MISSED_HEARTBEATS) / 1000} seconds and was stopped.`,
    );
    end('blocked');
  }
  missedHeartbeats += 1;
  sendToWorker('beat');
}, HEARTBEAT_MS);

setInterval(() => {
  if (Deno.memoryUsage().rss < MAX_MEMORY_BYTES) return;
  console.error(`It used more than ${MAX_MEMORY_BYTES / 1024 / 1024} MB of memory and was stopped.`);
  end('memory');
}, MEMORY_CHECK_MS);
