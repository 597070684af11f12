import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import { monotonic } from './clock.ts';
import { openKnown, type Watched } from './known-sequences.ts';
import { readMessage, type Seqs } from './site-messages.ts';

/** Connection to the database's sequences and messages. */
export type Line = {
  /** Reads the sequences of the site and of all coverages in one query. Rejects on a timeout. */
  seqs(): Promise<Seqs>;
  /**
   * Subscribes to the Realtime topic `site` and joins again after each loss of the connection.
   * @returns a function that unsubscribes
   */
  follow(listener: { joined(): void; lost?(): void; message(payload: unknown): void }): () => void;
};

export type Watch = {
  /** Compares the known sequences with the database. Resolves when the comparison has succeeded or failed. */
  ask(): Promise<void>;
  /** Whether the channel is joined, and the seconds since the start of the last successful comparison. */
  state(): { connected: boolean; compared: number };
  stop(): void;
};

/** Interval of the comparisons: the maximum age of a page after a lost message. In milliseconds. */
const COMPARE_MS = 30_000;
/** Pause after a failed comparison, doubled with each failure up to `COMPARE_MS`. In milliseconds. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Keeps the cache in step with the database. Each message purges the tags that it names. Because messages can be lost,
 * all sequences are compared at the start, at each join of the channel, and at an interval.
 * @param every milliseconds between two comparisons
 */
export function openWatch(cache: Watched, line: Line, every = COMPARE_MS): Watch {
  const known = openKnown(cache);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  /** Failed comparisons in a row. */
  let failures = 0;
  /** Number of joins, and its value when the last successful comparison began. */
  let joined = 0;
  let joinedBefore = 0;
  let stopped = false;
  let connected = false;
  let compared = monotonic();

  /**
   * One failed comparison means that the backend is busy. Two in a row, or one and a new join, can mean that the
   * backend was restarted with another database.
   */
  function doubt(): void {
    if (!stopped && (failures > 1 || (failures === 1 && joined > joinedBefore))) known.doubt();
  }

  /**
   * A running comparison may be older than the message that the caller reacts to. All callers that come while one runs
   * share the next one.
   */
  async function ask(): Promise<void> {
    if (stopped) return;
    if (!running) {
      running = compare();
      return running;
    }
    following ??= running.then(() => {
      following = undefined;
      return ask();
    });
    return following;
  }

  async function compare(): Promise<void> {
    clearTimeout(timer);
    const [began, joinedSoFar] = [monotonic(), joined];
    let pause = every;
    known.asked();
    try {
      const seqs = await line.seqs();
      if (stopped) return;
      if (!known.learn(seqs)) pause = FIRST_PAUSE_MS;
      failures = 0;
      compared = began;
      joinedBefore = joinedSoFar;
    } catch (error) {
      if (stopped) return;
      if (failures === 0)
        log.warn(SERVER.watchFailed(error instanceof Error ? error.message : String(error)));
      pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, every);
      failures += 1;
      doubt();
    } finally {
      running = undefined;
    }
    timer = setTimeout(ask, Math.max(0, began + pause - monotonic()));
  }

  const leave = line.follow({
    joined() {
      connected = true;
      joined += 1;
      doubt();
      // Messages from before the join are not repeated.
      void ask();
    },
    lost() {
      connected = false;
    },
    message(payload) {
      const message = readMessage(payload);
      if (message) known.hear(message);
      else ask();
    },
  });
  ask();

  return {
    ask,
    state: () => ({ connected, compared: (monotonic() - compared) / 1000 }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      leave();
    },
  };
}
