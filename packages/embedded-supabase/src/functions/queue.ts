/** A function that ends the call, or, for a rejected call, the seconds to wait before a retry. */
type QueuedCall = { leave(): void } | { wait: number };

type CallerNetwork = {
  /** Client network of the caller; undefined callers are not counted. */
  line: string | undefined;
  /** Those of one line who share a pace. */
  kind: string;
  /** Takes one of what their pace allows. @returns 0, or the seconds until there will be one */
  pace(): number;
  /** They do not wait any more. */
  gone: AbortSignal;
};

export type QueueLimits = {
  /** Under way at once, of all and of one line. */
  most: number;
  mostOfLine: number;
  /** Waiting at once, of all and of one kind and line. */
  waiting: number;
  waitingOfLine: number;
  longestWaitMs: number;
};

const pacedWith = ({ line, kind }: CallerNetwork) => `${kind} ${line}`;

type Waiting = CallerNetwork & { since: number; settle(turn: QueuedCall): void };

/**
 * Limits concurrent calls, in total and per client network. Further calls wait in order; calls of a network that has
 * reached its limit let others pass. A call is rejected if its queue is full or it waits too long.
 */
export function openCallQueue({
  most,
  mostOfLine,
  waiting: mostWaiting,
  waitingOfLine,
  longestWaitMs,
}: QueueLimits) {
  const queue: Waiting[] = [];
  const underWay = new Map<string | undefined, number>();
  let inside = 0;
  let timer: NodeJS.Timeout | undefined;

  const of = (line: string | undefined) => underWay.get(line) ?? 0;

  function letIn({ line }: CallerNetwork): QueuedCall {
    inside += 1;
    underWay.set(line, of(line) + 1);
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        inside -= 1;
        if (of(line) > 1) underWay.set(line, of(line) - 1);
        else underWay.delete(line);
        serve();
      },
    };
  }

  const isFull = (line: string | undefined) =>
    inside >= most || (line !== undefined && of(line) >= mostOfLine);

  /** Starts the calls that may run, and rejects those that have waited too long. */
  function serve(): void {
    clearTimeout(timer);
    const now = performance.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const paused = new Set<string>();
    for (const one of [...queue]) {
      const leftMs = one.since + longestWaitMs - now;
      if (leftMs <= 0) one.settle({ wait: Math.ceil(longestWaitMs / 1000) });
      else if (!isFull(one.line) && !paused.has(pacedWith(one))) {
        const wait = one.pace();
        if (wait === 0) one.settle(letIn(one));
        else paused.add(pacedWith(one));
        if (wait > 0) nextMs = Math.min(nextMs, wait * 1000);
      }
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
    }
    if (queue.length > 0) timer = setTimeout(serve, Math.max(1, Math.min(nextMs, longestWaitMs)));
  }

  return {
    async enter(visitor: CallerNetwork): Promise<QueuedCall> {
      const { line } = visitor;
      const ofLine = queue.filter((one) => pacedWith(one) === pacedWith(visitor)).length;
      const wait = ofLine > 0 || isFull(line) ? 1 : visitor.pace();
      if (wait === 0) return letIn(visitor);
      if (queue.length >= mostWaiting || (line !== undefined && ofLine >= waitingOfLine)) return { wait };
      return new Promise((resolve) => {
        const one: Waiting = {
          ...visitor,
          since: performance.now(),
          settle(turn) {
            visitor.gone.removeEventListener('abort', leave);
            queue.splice(queue.indexOf(one), 1);
            resolve(turn);
          },
        };
        const leave = () => one.settle({ wait });
        visitor.gone.addEventListener('abort', leave);
        queue.push(one);
        serve();
      });
    },
  };
}

export type CallQueue = ReturnType<typeof openCallQueue>;
