/** What of a desk is to be read: everything, or some of its rows. */
export type Wanted = { all: boolean; ids: ReadonlySet<string> };

export type Reading = {
  /** Asks for a reading; resolves when one that began after this call has ended. */
  want(part: Partial<Wanted>): Promise<void>;
  /** The end of the reading that is under way, if there is one. */
  underWay(): Promise<void> | undefined;
};

/**
 * One reading at a time, and one after it: what is under way may have asked before something was done. What is asked
 * for meanwhile is read together.
 */
export function readTogether(read: (wanted: Wanted) => Promise<void>): Reading {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let wanted = NOTHING;

  function begin(): Promise<void> {
    const now = wanted;
    next = undefined;
    wanted = NOTHING;
    running = read(now).finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    underWay: () => running,
    want(part) {
      wanted = {
        all: wanted.all || part.all === true,
        ids: new Set([...wanted.ids, ...(part.ids ?? [])]),
      };
      next ??= (running ?? Promise.resolve()).then(begin);
      return next;
    },
  };
}

const NOTHING: Wanted = { all: false, ids: new Set() };
