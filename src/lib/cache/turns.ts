export type Weighed = {
  /** How many wait for it; 1 for somebody alone, who may be anybody. Grows while it waits. */
  weight: number;
};

/**
 * So many at once, and of those that wait the one first that most wait for. Half of the turns are never given to what
 * only one asks for. Who comes when too many wait takes the place of what was asked for least, measured by how many
 * have come since: whoever makes up ever new addresses pushes out their own, and what many ask for is soon asked for
 * again.
 * @param waiting how many may wait
 * @param refuse told of the one that goes; what it returns is what that one's `take` rejects with
 */
export function openTurns<Item extends Weighed>(
  atOnce: number,
  waiting: number,
  refuse: (item: Item) => Error,
) {
  const forOne = Math.ceil(atOnce / 2);
  const queue = new Map<Item, { run(): Promise<void>; reject(reason: Error): void; came: number }>();
  let running = 0;
  let runningForOne = 0;
  /** How many have come so far. */
  let all = 0;

  function next(): void {
    while (running < atOnce) {
      const item = most(queue.keys(), ({ weight }) => weight);
      const run = item && queue.get(item)?.run;
      if (!run) return;
      const isForOne = item.weight === 1;
      if (isForOne && runningForOne >= forOne) return;
      queue.delete(item);
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
    const [item, { reject }] = found;
    queue.delete(item);
    reject(refuse(item));
  }

  return {
    /** Runs it when it has its turn, which may be at once; rejects when it has to go before that. */
    take<T>(item: Item, run: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (queue.size >= waiting) makeRoom();
        queue.set(item, { run: () => run().then(resolve, reject), reject, came: all++ });
        next();
      });
    },

    /** Something that waits has become heavier. */
    next,

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
