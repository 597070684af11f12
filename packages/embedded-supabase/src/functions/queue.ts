/** A function that ends the call, or, for a rejected call, the seconds to wait before a retry. */
type QueuedCall = { leave(): void } | { wait: number };

type QueuedCaller = {
  /** Client network. Callers without one are limited only in total. */
  network: string | undefined;
  /** Callers of one network and class share a rate limit. */
  callerClass: string;
  /** Takes a call from the rate limit. @returns 0, or the seconds until the next one is allowed */
  take(): number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
};

export type QueueLimits = {
  /** Concurrent calls, in total and of one network. */
  most: number;
  mostOfNetwork: number;
  /** Waiting calls, in total and of one network and class. */
  waiting: number;
  waitingOfNetwork: number;
  longestWaitMs: number;
};

const rateLimitKey = ({ network, callerClass }: QueuedCaller) => `${callerClass} ${network}`;

type Waiting = QueuedCaller & { since: number; settle(result: QueuedCall): void };

/**
 * Limits concurrent calls, in total and per client network. Further calls wait in order; calls of a network that has
 * reached its limit let others pass. A call is rejected if its queue is full or it waits too long.
 */
export function openCallQueue({
  most,
  mostOfNetwork,
  waiting: mostWaiting,
  waitingOfNetwork,
  longestWaitMs,
}: QueueLimits) {
  const queue: Waiting[] = [];
  const runningOfNetworks = new Map<string | undefined, number>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const runningOf = (network: string | undefined) => runningOfNetworks.get(network) ?? 0;

  function start({ network }: QueuedCaller): QueuedCall {
    running += 1;
    runningOfNetworks.set(network, runningOf(network) + 1);
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        running -= 1;
        if (runningOf(network) > 1) runningOfNetworks.set(network, runningOf(network) - 1);
        else runningOfNetworks.delete(network);
        serve();
      },
    };
  }

  const isFull = (network: string | undefined) =>
    running >= most || (network !== undefined && runningOf(network) >= mostOfNetwork);

  /** Starts the calls that may run, and rejects those that have waited too long. */
  function serve(): void {
    clearTimeout(timer);
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const paused = new Set<string>();
    for (const one of [...queue]) {
      const leftMs = one.since + longestWaitMs - now;
      if (leftMs <= 0) one.settle({ wait: Math.ceil(longestWaitMs / 1000) });
      else if (!isFull(one.network) && !paused.has(rateLimitKey(one))) {
        const wait = one.take();
        if (wait === 0) one.settle(start(one));
        else paused.add(rateLimitKey(one));
        if (wait > 0) nextMs = Math.min(nextMs, wait * 1000);
      }
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
    }
    if (queue.length > 0) timer = setTimeout(serve, Math.max(1, Math.min(nextMs, longestWaitMs)));
  }

  return {
    async enter(caller: QueuedCaller): Promise<QueuedCall> {
      const { network } = caller;
      const ofNetwork = queue.filter((one) => rateLimitKey(one) === rateLimitKey(caller)).length;
      const wait = ofNetwork > 0 || isFull(network) ? 1 : caller.take();
      if (wait === 0) return start(caller);
      // A caller that has left sends no event any more.
      if (caller.signal.aborted) return { wait };
      if (queue.length >= mostWaiting || (network !== undefined && ofNetwork >= waitingOfNetwork))
        return { wait };
      return new Promise((resolve) => {
        const one: Waiting = {
          ...caller,
          since: performance.now(),
          settle(result) {
            caller.signal.removeEventListener('abort', leave);
            queue.splice(queue.indexOf(one), 1);
            resolve(result);
          },
        };
        const leave = () => one.settle({ wait });
        caller.signal.addEventListener('abort', leave);
        queue.push(one);
        serve();
      });
    },
  };
}

export type CallQueue = ReturnType<typeof openCallQueue>;
