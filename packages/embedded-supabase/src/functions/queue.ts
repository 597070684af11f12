/** A function that ends the call, or, for a rejected call, the seconds to wait before a retry. */
type QueuedCall = { finish(): void } | { waitS: number };

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
  maxRunning: number;
  maxRunningPerNetwork: number;
  /** Waiting calls, in total and of one network and class. */
  maxWaiting: number;
  maxWaitingPerNetwork: number;
  maxWaitMs: number;
};

const rateLimitKey = ({ network, callerClass }: QueuedCaller) => `${callerClass} ${network}`;

type WaitingCall = QueuedCaller & { since: number; settle(result: QueuedCall): void };

/**
 * Limits concurrent calls, in total and per client network. Further calls wait in order; calls of a network that has
 * reached its limit let others pass. A call is rejected if its queue is full or it waits too long.
 */
export function openCallQueue({
  maxRunning,
  maxRunningPerNetwork,
  maxWaiting,
  maxWaitingPerNetwork,
  maxWaitMs,
}: QueueLimits) {
  const queue: WaitingCall[] = [];
  const runningOfNetworks = new Map<string | undefined, number>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  const runningOf = (network: string | undefined) => runningOfNetworks.get(network) ?? 0;

  function start({ network }: QueuedCaller): QueuedCall {
    running += 1;
    runningOfNetworks.set(network, runningOf(network) + 1);
    let hasLeft = false;
    return {
      finish() {
        if (hasLeft) return;
        hasLeft = true;
        running -= 1;
        if (runningOf(network) > 1) runningOfNetworks.set(network, runningOf(network) - 1);
        else runningOfNetworks.delete(network);
        startWaitingCalls();
      },
    };
  }

  const isFull = (network: string | undefined) =>
    running >= maxRunning || (network !== undefined && runningOf(network) >= maxRunningPerNetwork);

  /** Starts the calls that may run, and rejects those that have waited too long. */
  function startWaitingCalls(): void {
    clearTimeout(timer);
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const pausedKeys = new Set<string>();
    for (const call of [...queue]) {
      const remainingMs = call.since + maxWaitMs - now;
      if (remainingMs <= 0) call.settle({ waitS: Math.ceil(maxWaitMs / 1000) });
      else if (!isFull(call.network) && !pausedKeys.has(rateLimitKey(call))) {
        const waitS = call.take();
        if (waitS === 0) call.settle(start(call));
        else pausedKeys.add(rateLimitKey(call));
        if (waitS > 0) nextMs = Math.min(nextMs, waitS * 1000);
      }
      if (remainingMs > 0) nextMs = Math.min(nextMs, remainingMs);
    }
    if (queue.length > 0) timer = setTimeout(startWaitingCalls, Math.max(1, Math.min(nextMs, maxWaitMs)));
  }

  return {
    async enter(caller: QueuedCaller): Promise<QueuedCall> {
      const { network } = caller;
      const waitingCount = queue.filter((call) => rateLimitKey(call) === rateLimitKey(caller)).length;
      const waitS = waitingCount > 0 || isFull(network) ? 1 : caller.take();
      if (waitS === 0) return start(caller);
      // A caller that has left sends no event any more.
      if (caller.signal.aborted) return { waitS };
      if (queue.length >= maxWaiting || (network !== undefined && waitingCount >= maxWaitingPerNetwork))
        return { waitS };
      return new Promise((resolve) => {
        const call: WaitingCall = {
          ...caller,
          since: performance.now(),
          settle(result) {
            caller.signal.removeEventListener('abort', cancel);
            queue.splice(queue.indexOf(call), 1);
            resolve(result);
          },
        };
        const cancel = () => call.settle({ waitS });
        caller.signal.addEventListener('abort', cancel);
        queue.push(call);
        startWaitingCalls();
      });
    },
  };
}

export type CallQueue = ReturnType<typeof openCallQueue>;
