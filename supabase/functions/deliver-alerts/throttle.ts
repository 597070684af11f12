/** The pause after a call is this many times as long as the call. */
const PAUSE_FACTOR = 6;
/** Maximum pause in milliseconds: a remote database is slow without being busy. */
const MAX_PAUSE_MS = 250;
/** Timeout of a call in milliseconds. It keeps one call from blocking the others. */
export const CALL_TIMEOUT_MS = 15_000;

/** A call. The signal is aborted on timeout. */
type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** Runs calls one after the other, with pauses in which the database can serve others. */
export function throttle(now = () => performance.now()): <Result>(work: Work<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let freeAt = 0;
  return (work) => {
    const done = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, freeAt - now())));
      const began = now();
      try {
        return await withTimeout(work);
      } finally {
        freeAt = now() + Math.min((now() - began) * PAUSE_FACTOR, MAX_PAUSE_MS);
      }
    });
    last = done.catch(() => undefined);
    return done;
  };
}

/** Rejects on timeout even if the work ignores its signal. */
async function withTimeout<Result>(work: Work<Result>): Promise<Result> {
  const control = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(new Error('The database did not answer in time.'));
    control.abort();
  }, CALL_TIMEOUT_MS);
  try {
    return await Promise.race([work(control.signal), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
