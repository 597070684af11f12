import { log } from '../data/log.ts';
import { dataOf, functionData } from '../data/result.ts';
import { followSite, watchClient } from '../data/site-channel.ts';
import { SERVER } from '../i18n/cli.ts';

/** How the ringing reaches the backend. */
export type Bell = {
  /** Seconds until somebody is to be told something, 0 for now; null when nobody is. */
  due(): Promise<number | null>;
  /** Has people told, for a while. `more`: it is worth ringing again. */
  ring(): Promise<{ claimed: number; more: boolean }>;
  /**
   * Runs `written` whenever somebody is to be told something new, and when the line is there again.
   * @returns a function that ends it
   */
  follow(written: () => void): () => void;
};

/** A server that has just come up has its readers to see to first, and what is due was so while it was away. In milliseconds. */
const SETTLE_MS = 20_000;
/** Messages may be lost: so often it is asked what is due. In milliseconds. */
const EVERY_MS = 30_000;
/** After a failure, and after a ring that found nothing to do; doubled with each one up to the time above. */
const FIRST_PAUSE_MS = 1_000;
/** How long a call under way may take when the server stops: it has begun what it has to write down. */
const LAST_CALL_MS = 10_000;

/**
 * Rings the function that tells people what they follow, for as long as the server runs: once soon after its start, by which the
 * database learns how people can be told at all, and then whenever something is due. Never twice at a time; what several
 * servers ring for, each of their calls tells a part of.
 * @param every milliseconds between two questions
 * @param settleMs until the first one
 * @returns ends it, and waits a while for the call under way
 */
export function openRinging(bell: Bell, every = EVERY_MS, settleMs = SETTLE_MS): () => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  /** Something was written while it ran. */
  let written = false;
  let rung = false;
  let settled = false;
  let stopped = false;
  /** In a row. */
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

  /** @returns the milliseconds until it is worth looking again */
  async function look(): Promise<number> {
    try {
      const wait = await tell();
      failures = 0;
      return wait;
    } catch (error) {
      // Once, until it goes well again.
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
    // What is due and not to be had is in the hands of a call that was broken off, or of another server's.
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

/** One call begins to tell for 15 s at most, and what it has begun may take 40. */
const LONGEST_CALL_MS = 60_000;

/** The line of the site's own process to a backend, embedded or hosted, and to its function that tells people. */
export function openBell({ url, secretKey }: { url: string; secretKey: string }): Bell {
  const client = watchClient(url, secretKey, LONGEST_CALL_MS);
  return {
    // Null is what the generated types do not know of a function.
    due: async (): Promise<number | null> => dataOf(client.rpc('alerts_due')),
    async ring() {
      const call = client.functions.invoke('deliver-alerts', { body: {}, timeout: LONGEST_CALL_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },

    follow: (written) => followSite(client, 'alerts', { joined: written, message: written }),
  };
}
