export type Weighed = {
  /** How many wait for it; 1 for somebody alone, who may be anybody. Grows while it waits. */
  weight: number;
};

type Waiting = {
  run(): Promise<void>;
  reject(reason: Error): void;
  came: number;
  impatient: NodeJS.Timeout;
};

/**
 * So many at once, and of those that wait the one first that most wait for. Half of the turns are never given to what
 * only one asks for. Who comes when too many wait takes the place of what was asked for least, measured by how many
 * have come since: whoever makes up ever new addresses pushes out their own, and what many ask for is soon asked for
 * again.
 * @param waiting how many may wait
 * @param patience for how long one may wait, in milliseconds: what never has its turn is refused, not forgotten
 * @param refuse told of the one that goes; what it returns is what that one's `take` rejects with
 */
export function openTurns<Item extends Weighed>(
  atOnce: number,
  waiting: number,
  patience: number,
  refuse: (item: Item) => Error,
) {
  const forOne = Math.ceil(atOnce / 2);
  const queue = new Map<Item, Waiting>();
  let running = 0;
  let runningForOne = 0;
  /** How many have come so far. */
  let all = 0;
  let refused = 0;

  function next(): void {
    while (running < atOnce) {
      const item = most(queue.keys(), ({ weight }) => weight);
      const run = item && queue.get(item)?.run;
      if (!run) return;
      const isForOne = item.weight === 1;
      if (isForOne && runningForOne >= forOne) return;
      leave(item);
      running++;
      if (isForOne) runningForOne++;
      void run().finally(() => {
        running--;
        if (isForOne) runningForOne--;
        next();
      });
    }
  }

  function makeRoom(): void {
    const found = most(queue, ([{ weight }, { came }]) => (all - came) / weight);
    if (!found) return;
    dismiss(found[0]);
  }

  function leave(item: Item): void {
    clearTimeout(queue.get(item)?.impatient);
    queue.delete(item);
  }

  function dismiss(item: Item): void {
    const reject = queue.get(item)?.reject;
    leave(item);
    refused += 1;
    reject?.(refuse(item));
  }

  return {
    /** Runs it when it has its turn, which may be at once; rejects when it has to go before that. */
    take<T>(item: Item, run: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (queue.size >= waiting) makeRoom();
        const impatient = setTimeout(dismiss, patience, item);
        queue.set(item, { run: () => run().then(resolve, reject), reject, came: all++, impatient });
        next();
      });
    },

    /** Something that waits has become heavier. */
    next,

    /** How many run and wait, and how many were refused so far. */
    size: () => ({ running, waiting: queue.size, refused }),

    /** Do so many run at most, and does nothing wait? */
    isQuiet: (most = 0) => running <= most && queue.size === 0,
  };
}

/** The first of those of which there is most; none of nothing. */
function most<T>(all: Iterable<T>, amountOf: (one: T) => number): T | undefined {
  let found: T | undefined;
  let amount = Number.NEGATIVE_INFINITY;
  for (const one of all) {
    const its = amountOf(one);
    if (its > amount) [found, amount] = [one, its];
  }
  return found;
}
