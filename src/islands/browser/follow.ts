import { waitFor, waitOfNet } from './wait.ts';

/** What an answer of `changes` says of where the page stands then. */
export type Told = {
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

type Task<Answer extends Told> = {
  /** The last change that the page knows of. */
  seq: number;
  /** Seconds between checks, until an answer says otherwise. */
  interval: number;
  /**
   * Asks what changed since `after`, of a site that knows change `until` (0: whatever it knows). `gone` when the
   * coverage was withdrawn, `early` when the site does not know `until` yet; rejects when there is no good answer.
   */
  ask(after: number, until: number): Promise<Answer | 'gone' | 'early'>;
  /** Takes in one answer; a check may have several. */
  take(answer: Answer): void;
  /** A check is over: the page knows everything that had happened at this time. */
  settled(at: number): void;
  /** So many checks in a row have failed. */
  failed(times: number): void;
  /** The coverage was withdrawn: nothing is asked any more. */
  gone(): void;
  /** A number between 0 and 1 by chance, so that readers do not all ask in the same instant. */
  chance(): number;
  /** Is the reader's line one on which checks are to be few? */
  isSlow(): boolean;
};

export type Follower = {
  /** Whether the page may ask now. It asks at once when it may again. */
  may(allowed: boolean): void;
  /** Whether a socket tells of changes now. While none does, the page asks at each interval. */
  listens(hears: boolean): void;
  /** The socket told of a change, to be asked for within `spread` milliseconds. */
  hear(change: { seq: number; spread: number }): void;
  /** The page is to be followed otherwise, which an answer within `spread` milliseconds says. */
  askWithin(spread: number): void;
};

/** So many times the change that was told of is asked for; then, in case it never was (a restored backup), for any. */
const EARLY_TRIES = 5;
/** What a site asks to wait that does not know a change yet, and up to twice that. */
const EARLY_MS = 1000;
/** So much of the spread passes before anybody asks how to follow: an answer made before is kept for a moment. */
const FIRST_PART = 0.1;

/**
 * Decides when an open page asks what changed. Told of change M it asks `until` M, a random part of the spread later;
 * not told, at each interval. While a socket tells, slow checks go on, rarer the longer there is nothing, because a message may be lost.
 */
export function follow<Answer extends Told>(task: Task<Answer>): Follower {
  let { seq, interval } = task;
  /** The highest change heard of. */
  let told = 0;
  let spread = 0;
  let failures = 0;
  let earlies = 0;
  let allowed = false;
  let hears = false;
  /** Checks in a row that found nothing while a socket told of nothing. */
  let quiet = 0;
  let busy = false;
  /** What is asked now may be older than what must be known, so it is asked once more. */
  let owed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next check begins, and when one was wished for since the last began, on the clock that never jumps. */
  let due = Number.POSITIVE_INFINITY;
  let wished = Number.POSITIVE_INFINITY;

  async function check() {
    clearTimeout(timer);
    due = wished = Number.POSITIVE_INFINITY;
    busy = true;
    owed = false;
    let early = false;
    try {
      const at = await catchUp();
      early = at === 'early';
      if (typeof at === 'number') {
        failures = earlies = 0;
        task.settled(at);
      }
    } catch {
      task.failed(++failures);
    }
    if (early) tooEarly();
    busy = false;
    if (allowed) plan(early ? EARLY_MS * (1 + task.chance()) : wait());
  }

  function tooEarly() {
    if (++earlies === EARLY_TRIES) earlies = told = 0;
    task.failed(failures || 1);
  }

  /** Asks until there is no more, and answers when that was. Nothing when it was broken off. */
  async function catchUp(): Promise<number | 'early' | undefined> {
    for (;;) {
      const until = told > seq ? told : 0;
      const answer = await task.ask(seq, until);
      // What comes after a pause is not shown.
      if (!allowed || answer === 'early') return allowed ? 'early' : undefined;
      if (answer === 'gone') {
        may(false);
        return void task.gone();
      }
      if (answer.farBehind) told = 0;
      // An answer that leads nowhere would be asked for again and again.
      const least = answer.more ? seq + 1 : until;
      if (answer.through < least && !answer.farBehind) throw new Error('no progress');
      task.take(answer);
      if (answer.through > seq) quiet = 0;
      seq = Math.max(seq, answer.through);
      interval = answer.interval;
      if (!answer.more) return answer.at;
    }
  }

  /** Milliseconds until the next check, when one is over. */
  function wait(): number {
    if (owed || (failures === 0 && told > seq)) return Math.max(0, wished - performance.now());
    wished = Number.POSITIVE_INFINITY;
    if (failures === 0 && hears) return waitOfNet(quiet++, task.chance());
    return waitFor(interval, failures, task.isSlow(), task.chance());
  }

  function plan(ms: number) {
    clearTimeout(timer);
    due = performance.now() + ms;
    timer = setTimeout(check, ms);
  }

  /** Has the next check begin in so many milliseconds, unless it begins earlier. */
  function wish(ms: number) {
    wished = Math.min(wished, performance.now() + ms);
    if (allowed && !busy && wished < due) plan(ms);
  }

  function may(now: boolean) {
    allowed = now;
    clearTimeout(timer);
    due = wished = Number.POSITIVE_INFINITY;
    if (!now) return;
    owed = busy;
    if (busy) wish(0);
    else check();
  }

  return {
    may,
    listens(now) {
      if (now === hears) return;
      hears = now;
      quiet = 0;
      owed ||= busy && now;
      // Many readers lose and find the site in the same instant.
      wish(task.chance() * (now ? spread : interval * 1000));
    },
    hear(change) {
      spread = change.spread;
      quiet = 0;
      if (change.seq <= Math.max(seq, told)) return;
      told = change.seq;
      // One question answers for all that is heard until it is asked.
      if (wished === Number.POSITIVE_INFINITY) wish(task.chance() * spread);
    },
    askWithin(within) {
      quiet = 0;
      owed ||= busy;
      wish((FIRST_PART + (1 - FIRST_PART) * task.chance()) * within);
    },
  };
}
