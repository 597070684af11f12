import { receiptStatePath, type TipProgress } from '../../lib/data/tips.ts';
import { network, onNetworkChange } from '../network/network.ts';
import { pollDelay } from '../network/retry.ts';

const isFinal = ({ state, used_in }: TipProgress) => used_in !== null || state === 'declined';

/** Seconds between polls, and after a final state, which the newsroom may still undo. */
const POLL_S = 10;
const FINAL_POLL_S = 60;
const RESPONSE_TIMEOUT_MS = 25_000;

export type OutcomeHandlers = {
  /** @param at time of the site's clock */
  onOutcome(outcome: TipProgress, at: string): void;
  /** The request failed and will be repeated. */
  onLost(): void;
};

/** Polls the status of a tip while its page is visible. Returns a function that stops it. */
export function watchTipStatus(receipt: string, first: TipProgress, handlers: OutcomeHandlers): () => void {
  let failures = 0;
  let intervalS = isFinal(first) ? FINAL_POLL_S : POLL_S;
  let isStopped = false;
  let isPolling = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function poll() {
    clearTimeout(timer);
    if (document.hidden || isPolling || isStopped) return;
    isPolling = true;
    try {
      const response = await fetch(receiptStatePath(receipt), {
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const outcome = (await response.json()) as TipProgress;
      if (!response.ok) throw new Error(`${response.status}`);
      failures = 0;
      intervalS = isFinal(outcome) ? FINAL_POLL_S : POLL_S;
      handlers.onOutcome(outcome, new Date(response.headers.get('date') ?? Date.now()).toISOString());
    } catch {
      failures += 1;
      handlers.onLost();
    }
    isPolling = false;
    schedule();
  }
  function schedule() {
    if (!isStopped) timer = setTimeout(poll, pollDelay(intervalS, failures, network().isSlow, Math.random()));
  }

  schedule();
  document.addEventListener('visibilitychange', poll);
  const stopListening = onNetworkChange((isOnline) => isOnline && void poll());
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', poll);
    stopListening();
  };
}
