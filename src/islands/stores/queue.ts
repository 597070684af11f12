/** What became of a try: over for good, further than before, or nowhere. */
export type Tried = 'over' | 'further' | 'nowhere';

export type Queue = {
  add(id: string): void;
  drop(id: string): void;
  /** What waits for its next try is tried now: the line is back. */
  wake(): void;
  /** What is under way is stopped and nothing is begun until what is returned is called. */
  hold(): () => void;
};

/** Before the first try again, and the longest pause. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * Does one thing after another, in the order in which they came, and tries again without end what did not work: at once
 * the others, then after pauses that grow as long as nothing moves.
 * @param attempt never rejects; `signal` tells it to stop
 */
export function makeQueue(attempt: (id: string, signal: AbortSignal) => Promise<Tried>): Queue {
  const waiting = new Map<string, { tries: number; notBefore: number }>();
  let running: { id: string; stop: AbortController } | undefined;
  let holds = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    clearTimeout(timer);
    if (running || holds > 0 || waiting.size === 0) return;
    const now = performance.now();
    for (const [id, { notBefore }] of waiting) {
      if (notBefore <= now) return void run(id);
    }
    const soonest = Math.min(...[...waiting.values()].map(({ notBefore }) => notBefore));
    timer = setTimeout(next, soonest - now);
  }

  async function run(id: string): Promise<void> {
    const stop = new AbortController();
    running = { id, stop };
    const tried = await attempt(id, stop.signal);
    running = undefined;
    const place = waiting.get(id);
    if (tried === 'over') waiting.delete(id);
    else if (place && !stop.signal.aborted) {
      place.tries = tried === 'further' ? 1 : place.tries + 1;
      place.notBefore = performance.now() + pauseAfter(place.tries);
    }
    next();
  }

  return {
    add(id) {
      if (!waiting.has(id)) waiting.set(id, { tries: 0, notBefore: 0 });
      next();
    },
    drop(id) {
      waiting.delete(id);
      if (running?.id === id) running.stop.abort();
    },
    wake() {
      for (const place of waiting.values()) Object.assign(place, { tries: 0, notBefore: 0 });
      next();
    },
    hold() {
      holds += 1;
      running?.stop.abort();
      let isHeld = true;
      return () => {
        if (isHeld) holds -= 1;
        isHeld = false;
        next();
      };
    },
  };
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}
