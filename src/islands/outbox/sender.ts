import { delayAfter, type FailedAttempt, failedAttempt, requestedDelay } from './retry.ts';

export type AttemptResult = 'done' | FailedAttempt;

type SenderOptions = {
  /** Makes one attempt to send an entry. `signal` tells it to stop. An unexpected error is reported and retried. */
  attempt(id: string, signal: AbortSignal): Promise<AttemptResult>;
  /** Entries that are sent at the same time. */
  concurrency?: number;
  /** Delay before the first retry in milliseconds. */
  firstRetryMs?: number;
};

/** Sends entries of the outbox while the page is open. */
type Sender = {
  /**
   * Sends an entry. An entry that is being sent is sent again afterwards; one that waits for a retry keeps its delay.
   * Resolves when the entry is done, or was removed and its attempt has ended.
   */
  add(id: string): Promise<void>;
  /** Stops sending an entry. */
  remove(id: string): void;
  /** Retries waiting entries now, except where the backend asked to wait. */
  retryNow(): void;
  /** Stops running attempts and starts none until the returned function is called. */
  pause(): () => void;
  /**
   * Retries when the connection returns and when the page is shown or focused. Returns a function that stops sending,
   * until the next `start`.
   * @param onWake called at these times instead of `retryNow`
   */
  start(onWake?: () => void): () => void;
};

type Entry = {
  failures: number;
  /** Times of `performance.now()`. Nothing is sent before `notBefore`. */
  retryAt: number;
  notBefore: number;
  /** It was added again during the attempt. */
  isRequestedAgain: boolean;
  /** A retry was requested during the attempt. */
  isRetryRequested: boolean;
  ended: PromiseWithResolvers<void>;
};

/** Events of the window after which a connection or session may be back. */
const WAKE_EVENTS = ['online', 'focus', 'pageshow', 'visibilitychange'];

/**
 * Sends entries in the order in which they were added, and retries failed ones without end after growing delays. Other
 * entries go first meanwhile.
 */
export function makeSender({ attempt, concurrency = 1, firstRetryMs }: SenderOptions): Sender {
  const entries = new Map<string, Entry>();
  const running = new Map<string, AbortController>();
  let pauses = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resumeAfterStop: (() => void) | undefined;

  function runNext(): void {
    clearTimeout(timer);
    if (pauses > 0) return;
    let next = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const [id, entry] of entries) {
      if (running.size >= concurrency) return;
      if (running.has(id)) continue;
      const at = Math.max(entry.retryAt, entry.notBefore);
      if (at <= now) void run(id, entry);
      else next = Math.min(next, at);
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(runNext, next - now);
  }

  async function run(id: string, entry: Entry): Promise<void> {
    const stop = new AbortController();
    running.set(id, stop);
    entry.isRequestedAgain = false;
    entry.isRetryRequested = false;
    const result = await attempt(id, stop.signal).catch(failUnexpectedly);
    running.delete(id);
    if (entries.get(id) !== entry) entry.ended.resolve();
    else if (result === 'done') finish(id, entry);
    // A stopped attempt is repeated at once when sending resumes.
    else if (!stop.signal.aborted) delay(entry, result);
    runNext();
  }

  function finish(id: string, entry: Entry): void {
    if (entry.isRequestedAgain) retry(entry);
    else {
      entries.delete(id);
      entry.ended.resolve();
    }
  }

  function delay(entry: Entry, failed: FailedAttempt): void {
    const now = performance.now();
    entry.notBefore = now + requestedDelay(failed);
    if (entry.isRequestedAgain || entry.isRetryRequested) retry(entry);
    else {
      entry.failures = failed.hasProgressed ? 1 : entry.failures + 1;
      entry.retryAt = now + delayAfter(failed, entry.failures, firstRetryMs);
    }
  }

  function retry(entry: Entry): void {
    entry.failures = 0;
    entry.retryAt = 0;
    entry.isRetryRequested = true;
  }

  function retryNow(): void {
    entries.forEach(retry);
    runNext();
  }

  function pause(): () => void {
    pauses += 1;
    for (const stop of running.values()) stop.abort();
    let isPaused = true;
    return () => {
      if (isPaused) pauses -= 1;
      isPaused = false;
      runNext();
    };
  }

  return {
    add(id) {
      const known = entries.get(id);
      if (known) {
        known.isRequestedAgain = true;
        return known.ended.promise;
      }
      const ended = Promise.withResolvers<void>();
      entries.set(id, {
        failures: 0,
        retryAt: 0,
        notBefore: 0,
        isRequestedAgain: false,
        isRetryRequested: false,
        ended,
      });
      runNext();
      return ended.promise;
    },
    remove(id) {
      const entry = entries.get(id);
      entries.delete(id);
      running.get(id)?.abort();
      if (!running.has(id)) entry?.ended.resolve();
    },
    retryNow,
    pause,
    start(onWake = retryNow) {
      resumeAfterStop?.();
      const onEvent = () => {
        if (document.visibilityState === 'visible') onWake();
      };
      for (const event of WAKE_EVENTS) window.addEventListener(event, onEvent);
      return () => {
        for (const event of WAKE_EVENTS) window.removeEventListener(event, onEvent);
        resumeAfterStop = pause();
      };
    },
  };
}

function failUnexpectedly(error: unknown): FailedAttempt {
  reportError(error);
  return failedAttempt(null);
}

const lockName = (name: string) => `stoppress.outbox.${name}`;
const locks = () => (typeof navigator === 'undefined' ? undefined : navigator.locks);

/**
 * Runs a task under a lock of this browser, after other tabs and workers have released it. In browsers without locks,
 * idempotency keys and ids prevent duplicates.
 */
export function withLock<T>(name: string, task: () => Promise<T>): Promise<T> {
  return locks()?.request(lockName(name), task) ?? task();
}

/** Runs a task under a lock of this browser; returns `elsewhere` when another tab holds the lock. */
export function withFreeLock<T>(name: string, task: () => Promise<T>): Promise<T | 'elsewhere'> {
  const request = locks()?.request(lockName(name), { ifAvailable: true }, (lock) =>
    lock ? task() : ('elsewhere' as const),
  );
  return request ?? task();
}
