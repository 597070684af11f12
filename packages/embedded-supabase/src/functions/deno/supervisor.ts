/// <reference lib="deno.window" />
// The first thing that runs in a function's Deno. It starts the function in a thread of its own, so that neither an
// endless loop nor too much memory there keeps this one from ending the process. When the backend is gone, killed or
// not, so is this.

import process from 'node:process';
import { EXIT_CODES, type SupervisorMessage, type WorkerMessage } from './protocol.ts';

/**
 * The beat that a function must answer, and how many in a row it may leave out: after hosted's 2 s it stands still.
 * Counted in beats, because a machine that keeps this thread waiting keeps the other one waiting too.
 */
const HEARTBEAT_MS = 250;
const MISSED_HEARTBEATS = 8;

/** Interval of memory checks. A function can allocate some hundred megabytes within it. */
const MEMORY_MS = 50;

/** Of the whole process: hosted's 256 MB for the function, and what Deno itself holds. */
const MOST_MEMORY = 320 * 1024 * 1024;

process.on('disconnect', () => Deno.exit(0));

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const told = (message: SupervisorMessage) => worker.postMessage(message);

function end(reason: keyof typeof EXIT_CODES): never {
  Deno.exit(EXIT_CODES[reason]);
}

let missed: number | undefined;

worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if (data === 'ready') {
    missed = 0;
    process.send?.('ready');
  } else if (data === 'beat') {
    missed = 0;
  } else if (data === 'failed') {
    end('failed');
  } else if (data === 'ended') {
    end('finished');
  }
});

// Deno has written it to the log.
worker.addEventListener('error', (event) => {
  event.preventDefault();
  end(missed === undefined ? 'failed' : 'uncaught');
});

process.on('message', (message) => {
  if (message === 'end') told('end');
});

setInterval(() => {
  if (missed === undefined) return;
  if (missed >= MISSED_HEARTBEATS) {
    console.error(`It stood still for ${(HEARTBEAT_MS * MISSED_HEARTBEATS) / 1000} seconds and was ended.`);
    end('blocked');
  }
  missed += 1;
  told('beat');
}, HEARTBEAT_MS);

setInterval(() => {
  if (Deno.memoryUsage().rss < MOST_MEMORY) return;
  console.error(`It took more than ${MOST_MEMORY / 1024 / 1024} MB of memory and was ended.`);
  end('memory');
}, MEMORY_MS);
