import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { clientNetwork, remembered } from '../gateway/rate-limits.ts';
import type { LimitedClass } from './caller-class.ts';
import type { CallerClass } from './query-limits.ts';

/** Requests of one client address that are worked on, or whose answers wait for the client, at once. */
const AT_ONCE: Record<LimitedClass, number> = { visitor: 4, signed_in: 12 };

/** The time that a request may wait for those before it. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Lets a few requests of each client address through at once, in their order: their answers stand in memory until the
 * client has read them, so a client that reads slowly holds a few answers and no more.
 */
export function queueByClient(longestWaitMs = LONGEST_WAIT_MS) {
  const queues = { visitor: remembered<Semaphore>(), signed_in: remembered<Semaphore>() };
  return {
    /** @returns a function to call when the answer has been sent; undefined when the wait was too long */
    async enter(address: string | undefined, caller: CallerClass): Promise<(() => void) | undefined> {
      if (!address || caller === 'website' || caller === 'server') return () => {};
      const client = clientNetwork(address);
      const queue = queues[caller].get(client) ?? new Semaphore(AT_ONCE[caller]);
      queues[caller].set(client, queue);
      try {
        const [, release] = await withTimeout(queue, longestWaitMs).acquire();
        return release;
      } catch (error) {
        if (error !== E_TIMEOUT) throw error;
        return undefined;
      }
    },
  };
}
