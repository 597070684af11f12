import { log } from '../data/log.ts';

/** Calls of a scheduler to the backend, about one kind of messages: alerts or notices. */
export type DeliveryClient = {
  /** Seconds until the next message is due, 0 if one is due now; null when none is. */
  secondsUntilDue(): Promise<number | null>;
  /** Runs the function that sends the messages. `more`: another call has messages to send. */
  deliver(): Promise<{ claimed: number; more: boolean }>;
  /**
   * Calls `onChange` when a message was added, and after each join of the channel.
   * @returns a function that unsubscribes
   */
  subscribe(onChange: () => void): () => void;
  /** Returns the log entry for failed calls. */
  failed(why: string): string;
};

/** Delay of the first call: after a start, the server renders pages for its readers first. In milliseconds. */
const START_DELAY_MS = 20_000;
/** Interval at which due messages are checked, because broadcasts can be lost. In milliseconds. */
const CHECK_MS = 30_000;
/** Pause after a failed call, and after one without a result; doubled each time up to `CHECK_MS`. */
const FIRST_PAUSE_MS = 1_000;
/**
 * How long a stopping server waits for a call in progress, in milliseconds. The call still has to record what it sent.
 */
const STOP_TIMEOUT_MS = 10_000;

/**
 * Calls the function that sends messages while the server runs: once soon after the start, which tells the database the
 * configured delivery channels of alerts, and then whenever messages are due. One call runs at a time. The calls of
 * several servers share the due messages.
 * @param every milliseconds between two checks
 * @param startDelayMs delay of the first call
 * @returns stops it, and waits for the call in progress
 */
export function startDeliveryScheduler(
  client: DeliveryClient,
  every = CHECK_MS,
  startDelayMs = START_DELAY_MS,
): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  /** Whether a message was added during the call. */
  let hasChanged = false;
  let hasRun = false;
  let started = false;
  let stopped = false;
  /** Consecutive failures, and consecutive calls that claimed no message. */
  let failures = 0;
  let emptyRuns = 0;

  function wake(): void {
    if (stopped || !started) return;
    hasChanged = true;
    if (running) return;
    clearTimeout(timer);
    running = round();
  }

  async function round(): Promise<void> {
    let wait: number;
    do {
      hasChanged = false;
      wait = await tryCheck();
    } while (!stopped && (wait === 0 || (hasChanged && failures === 0)));
    running = undefined;
    if (!stopped) timer = setTimeout(wake, wait);
  }

  /** @returns milliseconds until the next check */
  async function tryCheck(): Promise<number> {
    try {
      const wait = await check();
      failures = 0;
      return wait;
    } catch (error) {
      // Only the first failure in a row is logged.
      if (failures === 0 && !stopped) {
        log.warn(client.failed(error instanceof Error ? error.message : String(error)));
      }
      failures += 1;
      return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), every);
    }
  }

  async function check(): Promise<number> {
    const secondsUntilDue = hasRun ? await client.secondsUntilDue() : 0;
    if (secondsUntilDue === null) return every;
    if (secondsUntilDue > 0) return Math.min(Math.ceil(secondsUntilDue * 1000), every);
    const { claimed, more } = await client.deliver();
    hasRun = true;
    emptyRuns = claimed > 0 ? 0 : emptyRuns + 1;
    // Due messages that cannot be claimed belong to an aborted call or to another server.
    return more ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (emptyRuns - 1), every);
  }

  const unsubscribe = client.subscribe(wake);
  timer = setTimeout(() => {
    started = true;
    wake();
  }, startDelayMs);

  return async () => {
    stopped = true;
    clearTimeout(timer);
    unsubscribe();
    const timedOut = Promise.withResolvers<void>();
    timer = setTimeout(timedOut.resolve, STOP_TIMEOUT_MS);
    await Promise.race([running, timedOut.promise]);
    clearTimeout(timer);
  };
}
