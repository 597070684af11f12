import { log } from '../data/log.ts';
import { dataOf, functionData } from '../data/result.ts';
import { serviceRealtimeClient, subscribeToSite } from '../data/site-channel.ts';
import { SERVER } from '../i18n/cli.ts';

/** Calls of the scheduler to the backend. */
export type Bell = {
  /** Seconds until the next alert is due, 0 if one is due now; null when none is. */
  due(): Promise<number | null>;
  /** Runs the function that sends alerts. `more`: another call has alerts to send. */
  ring(): Promise<{ claimed: number; more: boolean }>;
  /**
   * Calls `onChange` when an alert was added, and after each join of the channel.
   * @returns a function that unsubscribes
   */
  follow(written: () => void): () => void;
};

/** Delay of the first call: after a start, the server renders pages for its readers first. In milliseconds. */
const SETTLE_MS = 20_000;
/** Interval at which due alerts are checked, because messages can be lost. In milliseconds. */
const EVERY_MS = 30_000;
/** Pause after a failed call, and after one without a result; doubled each time up to `EVERY_MS`. */
const FIRST_PAUSE_MS = 1_000;
/**
 * How long a stopping server waits for a call in progress, in milliseconds. The call still has to record what it sent.
 */
const LAST_CALL_MS = 10_000;

/**
 * Calls the function that sends alerts while the server runs: once soon after the start, which tells the database the
 * configured delivery channels, and then whenever alerts are due. One call runs at a time. The calls of several servers
 * share the due alerts.
 * @param every milliseconds between two checks
 * @param settleMs delay of the first call
 * @returns stops it, and waits for the call in progress
 */
export function openRinging(bell: Bell, every = EVERY_MS, settleMs = SETTLE_MS): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  /** Whether an alert was added during the call. */
  let written = false;
  let rung = false;
  let settled = false;
  let stopped = false;
  /** Consecutive failures, and consecutive calls that claimed no alert. */
  let failures = 0;
  let inVain = 0;

  function wake(): void {
    if (stopped || !settled) return;
    written = true;
    if (running) return;
    clearTimeout(timer);
    running = round();
  }

  async function round(): Promise<void> {
    let wait: number;
    do {
      written = false;
      wait = await look();
    } while (!stopped && (wait === 0 || (written && failures === 0)));
    running = undefined;
    if (!stopped) timer = setTimeout(wake, wait);
  }

  /** @returns milliseconds until the next check */
  async function look(): Promise<number> {
    try {
      const wait = await tell();
      failures = 0;
      return wait;
    } catch (error) {
      // Only the first failure in a row is logged.
      if (failures === 0 && !stopped) {
        log.warn(SERVER.alertsFailed(error instanceof Error ? error.message : String(error)));
      }
      failures += 1;
      return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), every);
    }
  }

  async function tell(): Promise<number> {
    const due = rung ? await bell.due() : 0;
    if (due === null) return every;
    if (due > 0) return Math.min(Math.ceil(due * 1000), every);
    const { claimed, more } = await bell.ring();
    rung = true;
    inVain = claimed > 0 ? 0 : inVain + 1;
    // Due alerts that cannot be claimed belong to an aborted call or to another server.
    return more ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (inVain - 1), every);
  }

  const leave = bell.follow(wake);
  timer = setTimeout(() => {
    settled = true;
    wake();
  }, settleMs);

  return async () => {
    stopped = true;
    clearTimeout(timer);
    leave();
    const enough = Promise.withResolvers<void>();
    timer = setTimeout(enough.resolve, LAST_CALL_MS);
    await Promise.race([running, enough.promise]);
    clearTimeout(timer);
  };
}

/** A call claims alerts for at most 15 s, and sending those takes at most 40 s. In milliseconds. */
const LONGEST_CALL_MS = 60_000;

/** The scheduler's connection to a backend, embedded or hosted. */
export function openBell({ url, secretKey }: { url: string; secretKey: string }): Bell {
  const client = serviceRealtimeClient(url, secretKey, LONGEST_CALL_MS);
  return {
    // The generated types do not know that a function can return null.
    due: async (): Promise<number | null> => dataOf(client.rpc('alerts_due')),
    async ring() {
      const call = client.functions.invoke('deliver-alerts', { body: {}, timeout: LONGEST_CALL_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },

    follow: (written) => subscribeToSite(client, 'alerts', { joined: written, message: written }),
  };
}
