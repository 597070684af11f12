import { setTimeout as wait } from 'node:timers/promises';
import type { Locker } from '@tus/server';

/** In milliseconds. */
const TIMES = {
  /** How long one request waits for another that is at work on the same upload. */
  waitMs: 15_000,
  /** A request that has brought nothing for so long is of a line that broke unnoticed. */
  quiet: 3_000,
  /** Interval at which a waiting request checks this. */
  look: 250,
};

/** In the words of the protocol's server; tus-js-client tries again after it. */
const BUSY = { status_code: 423, body: 'The upload is busy. Try again in a moment.\n' };

type Turn = { makeRoom: () => void | Promise<void>; over: Promise<void>; end: () => void; movedAt: number };

type UploadLocks = Locker & {
  /** Whether a request is at work on this upload. */
  isBusy(id: string): boolean;
  /** To be called when bytes have come. */
  saw(id: string): void;
};

/**
 * Allows one request at a time for each upload. A request waits for the previous one unless that one receives no more
 * data: then the client has reconnected, and the old request would never end.
 */
export function openUploadLocks(times = TIMES): UploadLocks {
  const turns = new Map<string, Turn>();
  return {
    isBusy: (id) => turns.has(id),
    saw(id) {
      const turn = turns.get(id);
      if (turn) turn.movedAt = performance.now();
    },
    newLock: (id) => ({
      async lock(signal, makeRoom) {
        const deadline = performance.now() + times.waitMs;
        for (let before = turns.get(id); before; before = turns.get(id)) {
          if (signal.aborted || performance.now() > deadline) throw BUSY;
          if (performance.now() - before.movedAt > times.quiet) await before.makeRoom();
          await Promise.race([before.over, wait(times.look)]);
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        turns.set(id, { makeRoom, over: promise, end: resolve, movedAt: performance.now() });
      },
      async unlock() {
        const turn = turns.get(id);
        turns.delete(id);
        turn?.end();
      },
    }),
  };
}
