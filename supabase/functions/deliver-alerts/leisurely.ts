/** After a question that took so long, the database is left alone for so many times as long. */
const REST = 6;
/** But no longer: a database that is far away takes long without being busy. In milliseconds. */
const LONGEST_REST_MS = 250;

/** Does pieces of work one after the other, with a rest between two, in which others are served. */
export function leisurely(
  now = () => performance.now(),
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let free = 0;
  return (work) => {
    const done = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, free - now())));
      const began = now();
      try {
        return await work();
      } finally {
        free = now() + Math.min((now() - began) * REST, LONGEST_REST_MS);
      }
    });
    last = done.catch(() => undefined);
    return done;
  };
}
