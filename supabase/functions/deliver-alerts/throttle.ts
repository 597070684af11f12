/** The pause after a call is this many times as long as the call. */
const REST = 6;
/** Maximum pause in milliseconds: a remote database is slow without being busy. */
const LONGEST_REST_MS = 250;
/** Timeout of a call in milliseconds. It keeps one call from blocking the others. */
export const LONGEST_QUESTION_MS = 15_000;

/** A call. The signal is aborted on timeout. */
type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** Runs calls one after the other, with pauses in which the database can serve others. */
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

/** Rejects on timeout even if the work ignores its signal. */
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
