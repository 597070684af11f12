export type Weighed = {
  /** How many wait for it; 1 for somebody alone, who may be anybody. Grows while it waits. */
  weight: number;
};

/**
 * So many at once, and of those that wait the one first that most wait for. Half of the turns are never given to what
 * only one asks for: whoever makes up ever new addresses keeps nobody from the pages that all read.
 * @param waiting how many may wait that only one asks for; of others twice as many
 */
export function openTurns<Item extends Weighed>(atOnce: number, waiting: number) {
  const forOne = Math.ceil(atOnce / 2);
  const queue = new Map<Item, () => Promise<void>>();
  let running = 0;
  let runningForOne = 0;

  function next(): void {
    while (running < atOnce) {
      const item = heaviest(queue.keys());
      const run = item && queue.get(item);
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

  return {
    /** Runs it when it has its turn, which may be at once. */
    take<T>(item: Item, run: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        queue.set(item, () => run().then(resolve, reject));
        next();
      });
    },

    /** Something that waits has become heavier. */
    next,

    /** Is there no room to wait? */
    isFull: (isKnown: boolean) => queue.size >= waiting * (isKnown ? 2 : 1),

    isQuiet: () => running === 0 && queue.size === 0,
  };
}

function heaviest<Item extends Weighed>(items: Iterable<Item>): Item | undefined {
  let found: Item | undefined;
  for (const item of items) if (!found || item.weight > found.weight) found = item;
  return found;
}
