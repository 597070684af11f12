import { log } from '../../data/log.ts';
import { SERVER } from '../../i18n/cli.ts';
import { monotonic } from './clock.ts';
import { openKnown, type Watched } from './known-sequences.ts';
import { readMessage, type Seqs } from './site-messages.ts';

/** How the watch hears of the database. */
export type Line = {
  /** All seqs, at one moment. Rejects when they cannot be had in time. */
  seqs(): Promise<Seqs>;
  /**
   * Follows the topic `site` from now on, over every loss of the line.
   * @returns a function that ends it
   */
  follow(listener: { joined(): void; lost?(): void; message(payload: unknown): void }): () => void;
};

export type Watch = {
  /** Compares with the database as it is from now on, and waits until that has been done or has failed. */
  ask(): Promise<void>;
  /** Whether the line is there, and the seconds since the last comparison that did not fail. */
  state(): { connected: boolean; compared: number };
  stop(): void;
};

/** No page may be older than this for want of a message. In milliseconds. */
const COMPARE_MS = 30_000;
/** After a failed comparison; doubled with each one up to the time between two good ones. In milliseconds. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Keeps the cache true: what a message names is purged at once, and as messages may be lost, all seqs are compared with
 * the database when it is begun, whenever the line to it is there again, and every so often.
 * @param every milliseconds between two comparisons
 */
export function openWatch(cache: Watched, line: Line, every = COMPARE_MS): Watch {
  const known = openKnown(cache);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  /** Of comparisons, in a row. */
  let failures = 0;
  /** How often the line has come, and how often before the last comparison that did not fail was begun. */
  let joined = 0;
  let joinedBefore = 0;
  let stopped = false;
  let connected = false;
  let compared = monotonic();

  /**
   * One comparison that fails says that the backend is busy. Two in a row, or one and a new line, may mean that it was
   * away, and that another database stands behind it now.
   */
  function doubt(): void {
    if (!stopped && (failures > 1 || (failures === 1 && joined > joinedBefore))) known.doubt();
  }

  /** A comparison that is under way may know less than who asks now has heard of: those share the one after it. */
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
      // What was said before is not said again.
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
