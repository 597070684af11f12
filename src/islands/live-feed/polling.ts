import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { FollowMethod } from '../../lib/domain/reader-coverage.ts';
import { fallbackPollDelay, pollDelay } from '../network/retry.ts';

/** The part of a changes response that controls polling. */
export type ChangesResult = {
  /** Time of the response by the site's clock, in milliseconds since 1970. */
  at: number;
  /** Last change that it contains: the next request starts there. */
  through: number;
  more: boolean;
  /** Too many changes: the page must be reloaded. */
  farBehind: boolean;
  /** Seconds between checks. */
  interval: number;
};

type PollingTask<Result extends ChangesResult> = {
  /** The last change that the page shows. */
  seq: number;
  /** Seconds between checks until a response changes it. */
  interval: number;
  /**
   * Fetches the changes after `after`. `until` is a change that the site must know, or 0. Returns `gone` for a
   * withdrawn coverage and `early` when the site does not know `until` yet; rejects otherwise.
   */
  fetchChanges(after: number, until: number): Promise<Result | 'gone' | 'early'>;
  /** Applies one response; a check may have several. */
  apply(result: Result): void;
  /** A check has ended: the page is up to date as of this time. */
  onUpToDate(at: number): void;
  /** Number of consecutive failed checks. */
  onFailed(times: number): void;
  /** The coverage was withdrawn; checks have stopped. */
  onWithdrawn(): void;
  /** Random number between 0 and 1, which spreads the requests of readers. */
  random(): number;
  /** Whether a slow connection requires fewer checks. */
  isSlow(): boolean;
};

export type Poller = {
  /** Allows or forbids checks. Allowing them starts one at once. */
  setAllowed(isAllowed: boolean): void;
  /** Whether a socket reports changes. Without one the page checks at each interval. */
  setListening(isListening: boolean): void;
  /** A socket reported a change, to be fetched within `spread` milliseconds. */
  onChange(change: { seq: number; spread: number }): void;
  /** The follow mode has changed. A check within `spread` milliseconds returns the new one. */
  checkWithin(spread: number): void;
};

/** Attempts to fetch a reported change. After that it may not exist, for example after restoring a backup. */
const EARLY_LIMIT = 5;
/** Delay after an early request, up to twice that. */
const EARLY_MS = 1000;
/** Share of the spread before a new follow mode is fetched, because an earlier response may be cached for a moment. */
const MIN_SPREAD_SHARE = 0.1;

/**
 * Decides when an open page fetches changes. A reported change M is requested with `until` M after a random part of the
 * spread; otherwise the page checks at each interval. While a socket is open, slow checks continue at growing
 * intervals, because a message may be lost.
 */
export function createPoller<Result extends ChangesResult>(task: PollingTask<Result>): Poller {
  let { seq, interval } = task;
  /** The highest change that was reported. */
  let highestSeq = 0;
  let spread = 0;
  let failures = 0;
  let earlyCount = 0;
  let isAllowed = false;
  let isListening = false;
  /** Consecutive checks without changes or messages. */
  let quietChecks = 0;
  let isChecking = false;
  /** The running check may return older data than required, so another one follows. */
  let mustRepeat = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Times of the next check and of the earliest requested one, on the monotonic clock. */
  let nextCheckAt = Number.POSITIVE_INFINITY;
  let requestedAt = Number.POSITIVE_INFINITY;

  async function check() {
    clearTimeout(timer);
    nextCheckAt = requestedAt = Number.POSITIVE_INFINITY;
    isChecking = true;
    mustRepeat = false;
    let isEarly = false;
    try {
      const at = await catchUp();
      isEarly = at === 'early';
      if (typeof at === 'number') {
        failures = earlyCount = 0;
        task.onUpToDate(at);
      }
    } catch {
      task.onFailed(++failures);
    }
    if (isEarly) handleEarly();
    isChecking = false;
    if (isAllowed) schedule(isEarly ? EARLY_MS * (1 + task.random()) : delayUntilNext());
  }

  function handleEarly() {
    if (++earlyCount === EARLY_LIMIT) earlyCount = highestSeq = 0;
    task.onFailed(failures || 1);
  }

  /**
   * Fetches until there are no more changes. Returns the time of the last response; undefined when checks were stopped
   * or the page must be reloaded.
   */
  async function catchUp(): Promise<number | 'early' | undefined> {
    for (;;) {
      const until = highestSeq > seq ? highestSeq : 0;
      const result = await task.fetchChanges(seq, until);
      // A response after a pause is discarded.
      if (!isAllowed || result === 'early') return isAllowed ? 'early' : undefined;
      if (result === 'gone') {
        setAllowed(false);
        return void task.onWithdrawn();
      }
      if (result.farBehind) highestSeq = 0;
      // A response without progress would be requested forever.
      const least = result.more ? seq + 1 : until;
      if (result.through < least && !result.farBehind) throw new Error('no progress');
      task.apply(result);
      if (result.through > seq) quietChecks = 0;
      seq = Math.max(seq, result.through);
      interval = result.interval;
      if (!result.more) return result.farBehind ? undefined : result.at;
    }
  }

  /** Milliseconds until the next check. */
  function delayUntilNext(): number {
    if (mustRepeat || (failures === 0 && highestSeq > seq))
      return Math.max(0, requestedAt - performance.now());
    requestedAt = Number.POSITIVE_INFINITY;
    if (failures === 0 && isListening) return fallbackPollDelay(quietChecks++, task.random());
    return pollDelay(interval, failures, task.isSlow(), task.random());
  }

  function schedule(ms: number) {
    clearTimeout(timer);
    nextCheckAt = performance.now() + ms;
    timer = setTimeout(check, ms);
  }

  /** Starts the next check within this time, unless one starts earlier. */
  function requestCheck(ms: number) {
    requestedAt = Math.min(requestedAt, performance.now() + ms);
    if (isAllowed && !isChecking && requestedAt < nextCheckAt) schedule(ms);
  }

  function setAllowed(now: boolean) {
    isAllowed = now;
    clearTimeout(timer);
    nextCheckAt = requestedAt = Number.POSITIVE_INFINITY;
    if (!now) return;
    mustRepeat = isChecking;
    if (isChecking) requestCheck(0);
    else check();
  }

  return {
    setAllowed,
    setListening(now) {
      if (now === isListening) return;
      isListening = now;
      quietChecks = 0;
      mustRepeat ||= isChecking && now;
      // Many readers lose and reach the site at the same time.
      requestCheck(task.random() * (now ? spread : interval * 1000));
    },
    onChange(change) {
      spread = change.spread;
      quietChecks = 0;
      if (change.seq <= Math.max(seq, highestSeq)) return;
      highestSeq = change.seq;
      // One request covers all changes reported before it.
      if (requestedAt === Number.POSITIVE_INFINITY) requestCheck(task.random() * spread);
    },
    checkWithin(within) {
      quietChecks = 0;
      mustRepeat ||= isChecking;
      requestCheck((MIN_SPREAD_SHARE + (1 - MIN_SPREAD_SHARE) * task.random()) * within);
    },
  };
}

/** How the page learns of changes. The page and every changes response contain it. */
export type FollowMode = {
  follow: FollowMethod;
  /** Seconds between checks. */
  interval: number;
  /** Address and key for the socket, if one may be opened. */
  backend: BrowserBackend | undefined;
};

export function readFollowMode({ dataset }: HTMLElement): FollowMode {
  const { follow, interval, backend, key } = dataset;
  return {
    follow: follow as FollowMethod,
    interval: Number(interval),
    backend: backend && key ? { publicUrl: backend, publishableKey: key } : undefined,
  };
}
