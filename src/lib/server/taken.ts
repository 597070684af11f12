import type { ServerResponse } from 'node:http';

/**
 * Waits until what was written to an answer is on its way, or nobody takes it any more. Astro writes an answer's stream
 * as fast as it can be read, whatever becomes of it: a long one asks this before each piece.
 */
export const takenOf = (response: ServerResponse) => (): Promise<void> =>
  new Promise((resolve) => {
    if (!response.writableNeedDrain || response.destroyed) return resolve();
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
