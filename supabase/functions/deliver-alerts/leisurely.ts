/** After a question that took so long, the database is left alone for so many times as long. */
const REST = 6;
/** But no longer: a database that is far away takes long without being busy. In milliseconds. */
const LONGEST_REST_MS = 250;
/** A question that has no answer by then has none: whoever comes next is not held up by it. */
export const LONGEST_QUESTION_MS = 15_000;

/** A piece of work, which is told when it is given up. */
type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** Does pieces of work one after the other, with a rest between two, in which others are served. */
export function leisurely(now = () => performance.now()): <Result>(work: Work<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let free = 0;
  return (work) => {
    const done = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, free - now())));
      const began = now();
      try {
        return await inTime(work);
      } finally {
        free = now() + Math.min((now() - began) * REST, LONGEST_REST_MS);
      }
    });
    last = done.catch(() => undefined);
    return done;
  };
}

/** Gives it up by itself too, in case it does not heed what it is told. */
async function inTime<Result>(work: Work<Result>): Promise<Result> {
  const control = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error('The database did not answer in time.'));
    control.abort();
  }, LONGEST_QUESTION_MS);
  try {
    return await Promise.race([work(control.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
