type Handling<Thing> = {
  handle(thing: Thing): void | Promise<void>;
  /** Something must wait; no more should come until `onFree`. */
  onWaiting(): void;
  onFree(): void;
  /** What waited behind the fault is forgotten. */
  onError(error: unknown): void;
};

/** Handles things in the order that they came in, each when the one before is done. */
export function inOrder<Thing>({
  handle,
  onWaiting,
  onFree,
  onError,
}: Handling<Thing>): (thing: Thing) => void {
  let waiting: Thing[] = [];
  let busy = false;

  const work = async (first: Promise<void>) => {
    try {
      await first;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await handle(next);
    } catch (error) {
      waiting = [];
      onError(error);
    }
    busy = false;
    onFree();
  };
  return (thing) => {
    if (busy) {
      waiting.push(thing);
      return onWaiting();
    }
    try {
      const done = handle(thing);
      if (!done) return;
      busy = true;
      work(done);
    } catch (error) {
      onError(error);
    }
  };
}
