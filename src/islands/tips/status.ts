import { type Fate, receiptStatePath } from '../../lib/data/tip-form.ts';
import { isSlowConnection } from '../network/connection-quality.ts';
import { pollDelay } from '../network/retry.ts';

const isSettled = ({ state, used }: Fate) => used !== null || state === 'declined';

/** Seconds between looks while the page is on the screen; and once it has an end, which a newsroom may still undo. */
const EVERY_S = 10;
const SETTLED_S = 60;
const LONGEST_ANSWER_MS = 25_000;

export type FateEars = {
  /** @param at by the site's clock */
  told(fate: Fate, at: string): void;
  /** Nobody answers; it is tried again. */
  lost(): void;
};

/** Asks again and again what became of a tip, as long as its page is on the screen. Answers what ends it. */
export function watchFate(receipt: string, first: Fate, ears: FateEars): () => void {
  let failures = 0;
  let every = isSettled(first) ? SETTLED_S : EVERY_S;
  let isStopped = false;
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look() {
    clearTimeout(timer);
    if (document.hidden || isAsking || isStopped) return;
    isAsking = true;
    try {
      const answer = await fetch(receiptStatePath(receipt), {
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
      });
      const fate = (await answer.json()) as Fate;
      if (!answer.ok) throw new Error(`${answer.status}`);
      failures = 0;
      every = isSettled(fate) ? SETTLED_S : EVERY_S;
      ears.told(fate, new Date(answer.headers.get('date') ?? Date.now()).toISOString());
    } catch {
      failures += 1;
      ears.lost();
    }
    isAsking = false;
    plan();
  }
  function plan() {
    if (!isStopped) timer = setTimeout(look, pollDelay(every, failures, isSlowConnection(), Math.random()));
  }

  plan();
  document.addEventListener('visibilitychange', look);
  addEventListener('online', look);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
    removeEventListener('online', look);
  };
}
