import { $asking, $freshness, $hindrance, $said } from '../stores/feed.ts';
import { type Answer, ask } from './answer.ts';
import { type LineQuality, waitFor } from './wait.ts';

type Task = {
  slug: string;
  /** The last change that the page knows of. */
  seq: number;
  /** Seconds between checks, until an answer says otherwise. */
  interval: number;
  /** Takes in one answer; a check may have several. */
  take(answer: Answer): void;
  /** A check is over and the page knows everything. */
  settled(): void;
  /** The coverage was withdrawn. */
  gone(): undefined;
};

/**
 * Asks for changes as long as the stores say that it may: at once when it may again, then in intervals.
 * Answers a function that stops it.
 */
export function keepChecking({ slug, seq, interval, take, settled, gone }: Task): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let again = false;

  async function check() {
    clearTimeout(timer);
    again = busy;
    if (busy) return;
    busy = true;
    $said.set('');
    try {
      const at = await catchUp();
      if (at !== undefined) {
        $hindrance.setKey('failures', 0);
        $freshness.setKey('checked', at);
        settled();
      }
    } catch {
      $hindrance.setKey('failures', $hindrance.get().failures + 1);
    }
    busy = false;
    if (!$asking.get()) return;
    const { connection } = navigator as { connection?: LineQuality };
    const wait = again ? 0 : waitFor(interval, $hindrance.get().failures, connection, Math.random());
    timer = setTimeout(check, wait);
  }

  /**
   * Asks until there is no more, and answers when that was. Nothing when it was broken off: what comes after a pause
   * is not shown.
   */
  async function catchUp(): Promise<number | undefined> {
    for (;;) {
      const answer = await ask(slug, seq);
      if (!$asking.get()) return;
      if (answer === 'gone') return gone();
      // An answer that leads nowhere would be asked for again and again.
      if (answer.more && answer.through <= seq) throw new Error('no progress');
      take(answer);
      seq = Math.max(seq, answer.through);
      interval = answer.interval;
      if (!answer.more) return answer.at;
    }
  }

  const forget = $asking.subscribe((may) => {
    if (may) check();
    else clearTimeout(timer);
  });
  return () => {
    forget();
    clearTimeout(timer);
  };
}
