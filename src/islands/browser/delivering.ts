import { type Delivered, deliver, type Send } from '../../lib/outbox/deliver.ts';
import { devicePerson } from '../../lib/outbox/device.ts';
import { onNews, tell } from '../../lib/outbox/news.ts';
import { pauseAfter } from '../../lib/outbox/order.ts';
import { waiting } from '../../lib/outbox/presses.ts';

/** Whoever is signed out is asked about again so often, and whenever somebody looks at the page. */
const SESSION_MS = 60_000;

/** An answer may ask for any time: a timer for more than 25 days would go off at once. */
const LONGEST_ASKED_MS = 3_600_000;

export type Delivering = {
  /** Tries at once: something was pressed, or the newsroom is reached again. */
  wake(): void;
  stop(): void;
};

/**
 * Sends what waits on this device for as long as a page is open: at once, when the line returns, when somebody looks at
 * the page again, and after pauses that grow while nothing helps. Nothing goes out while this device is somebody
 * else's: who has signed in in another tab.
 */
export function startDelivering(person: string, send: Send): Delivering {
  const end = new AbortController();
  /** Ends the delivery that is under way. */
  let going = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let isRunning = false;
  let isWanted = false;

  async function go(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    try {
      do {
        isWanted = false;
        await tryOnce();
      } while (isWanted && !end.signal.aborted);
    } finally {
      isRunning = false;
    }
  }

  async function tryOnce(): Promise<void> {
    const hasWork = (await waiting(person)).some(({ state }) => state === 'waiting');
    if (!hasWork || end.signal.aborted) return;
    const { holdUp, retryAfter = 0 } = await sent();
    tries = holdUp ? tries + 1 : 0;
    if (!holdUp || end.signal.aborted) return;
    const pause =
      holdUp === 'session'
        ? SESSION_MS
        : Math.max(pauseAfter(tries), Math.min(LONGEST_ASKED_MS, retryAfter * 1000));
    clearTimeout(timer);
    timer = setTimeout(go, pause);
  }

  /** A fault of the device's own, as of its locks, is no end: it is tried again like a line. */
  async function sent(): Promise<Delivered> {
    try {
      // Of a device that is nobody's the session knows better: it may have been signed in to again.
      const here = await devicePerson();
      if (here === null || here === person) {
        going = new AbortController();
        return await deliver(person, send, AbortSignal.any([end.signal, going.signal]));
      }
      tell({ of: 'sending', person, press: null, holdUp: 'session' });
      return { holdUp: 'session' };
    } catch (error) {
      reportError(error);
      return { holdUp: 'line' };
    }
  }

  function wake(): void {
    tries = 0;
    void go();
  }
  const onSeen = () => {
    if (document.visibilityState === 'visible') wake();
  };
  const stopHearing = onNews((news) => {
    if (news.of === 'device') {
      going.abort();
      wake();
    }
    // What is pressed here wakes; what comes otherwise does not shorten a pause.
    if (news.of === 'presses' && news.person === person && !timer) void go();
  });
  document.addEventListener('visibilitychange', onSeen);
  for (const event of ['online', 'focus', 'pageshow']) window.addEventListener(event, onSeen);
  wake();

  return {
    wake,
    stop() {
      end.abort();
      clearTimeout(timer);
      stopHearing();
      document.removeEventListener('visibilitychange', onSeen);
      for (const event of ['online', 'focus', 'pageshow']) window.removeEventListener(event, onSeen);
    },
  };
}
