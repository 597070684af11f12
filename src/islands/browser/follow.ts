import { fallbackPollDelay, pollDelay } from './wait.ts';

/** What an answer of `changes` says of where the page stands then. */
export type ChangesResult = {
  /** When it was made, by the site's clock, in milliseconds. */
  at: number;
  /** The last change that it tells of: where the next question begins. */
  through: number;
  more: boolean;
  /** Too much has changed to be told: the page itself is the answer. */
  farBehind: boolean;
  /** Seconds between checks. */
  interval: number;
};

type PollingTask<Result extends ChangesResult> = {
  /** The last change that the page knows of. */
  seq: number;
  /** Seconds between checks, until an answer says otherwise. */
  interval: number;
  /**
   * Asks what changed since `after`, of a site that knows change `until` (0: whatever it knows). `gone` when the
   * coverage was withdrawn, `early` when the site does not know `until` yet; rejects when there is no good answer.
   */
  fetchChanges(after: number, until: number): Promise<Result | 'gone' | 'early'>;
  /** Takes in one answer; a check may have several. */
  apply(result: Result): void;
  /** A check is over: the page knows everything that had happened at this time. */
  onUpToDate(at: number): void;
  /** So many checks in a row have failed. */
  onFailed(times: number): void;
  /** The coverage was withdrawn: nothing is asked any more. */
  onWithdrawn(): void;
  /** A number between 0 and 1 by chance, so that readers do not all ask in the same instant. */
  random(): number;
  /** Is the reader's line one on which checks are to be few? */
  isSlow(): boolean;
};

export type Poller = {
  /** Whether the page may ask now. It asks at once when it may again. */
  setAllowed(isAllowed: boolean): void;
  /** Whether a socket tells of changes now. While none does, the page asks at each interval. */
  setListening(isListening: boolean): void;
  /** The socket told of a change, to be asked for within `spread` milliseconds. */
  onChange(change: { seq: number; spread: number }): void;
  /** The page is to be followed otherwise, which an answer within `spread` milliseconds says. */
  checkWithin(spread: number): void;
};

/** So many times the change that was told of is asked for; then, in case it never was (a restored backup), for any. */
const EARLY_LIMIT = 5;
/** What a site asks to wait that does not know a change yet, and up to twice that. */
const EARLY_MS = 1000;
/** So much of the spread passes before anybody asks how to follow: an answer made before is kept for a moment. */
const MIN_SPREAD_SHARE = 0.1;

/**
 * Decides when an open page asks what changed. Told of change M it asks `until` M, a random part of the spread later;
 * not told, at each interval. While a socket tells, slow checks go on, rarer the longer there is nothing, because a message may be lost.
 */
export function createPoller<Result extends ChangesResult>(task: PollingTask<Result>): Poller {
  let { seq, interval } = task;
  /** The highest change heard of. */
  let highestSeq = 0;
  let spread = 0;
  let failures = 0;
  let earlyCount = 0;
  let isAllowed = false;
  let isListening = false;
  /** Checks in a row that found nothing while a socket told of nothing. */
  let quietChecks = 0;
  let isChecking = false;
  /** What is asked now may be older than what must be known, so it is asked once more. */
  let mustRepeat = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next check begins, and when one was wished for since the last began, on the clock that never jumps. */
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

  /** Asks until there is no more, and answers when that was. Nothing when it was broken off. */
  async function catchUp(): Promise<number | 'early' | undefined> {
    for (;;) {
      const until = highestSeq > seq ? highestSeq : 0;
      const result = await task.fetchChanges(seq, until);
      // What comes after a pause is not shown.
      if (!isAllowed || result === 'early') return isAllowed ? 'early' : undefined;
      if (result === 'gone') {
        setAllowed(false);
        return void task.onWithdrawn();
      }
      if (result.farBehind) highestSeq = 0;
      // An answer that leads nowhere would be asked for again and again.
      const least = result.more ? seq + 1 : until;
      if (result.through < least && !result.farBehind) throw new Error('no progress');
      task.apply(result);
      if (result.through > seq) quietChecks = 0;
      seq = Math.max(seq, result.through);
      interval = result.interval;
      if (!result.more) return result.at;
    }
  }

  /** Milliseconds until the next check, when one is over. */
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

  /** Has the next check begin in so many milliseconds, unless it begins earlier. */
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
      // Many readers lose and find the site in the same instant.
      requestCheck(task.random() * (now ? spread : interval * 1000));
    },
    onChange(change) {
      spread = change.spread;
      quietChecks = 0;
      if (change.seq <= Math.max(seq, highestSeq)) return;
      highestSeq = change.seq;
      // One question answers for all that is heard until it is asked.
      if (requestedAt === Number.POSITIVE_INFINITY) requestCheck(task.random() * spread);
    },
    checkWithin(within) {
      quietChecks = 0;
      mustRepeat ||= isChecking;
      requestCheck((MIN_SPREAD_SHARE + (1 - MIN_SPREAD_SHARE) * task.random()) * within);
    },
  };
}
