import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Card, digestOf } from '../../publishing/og-image/card.ts';
import { type Draw, drawingDoor } from '../../publishing/og-image/queue.ts';

const PROGRAM = resolve(import.meta.dirname, 'process.ts');

/** A card takes a tenth of a second, the first one half of one; by the clock it may be many, behind busy readers. */
const LONGEST_MS = 15_000;
/** The process goes when nobody has wanted a card for so long, and its memory with it. */
const IDLE_MS = 20_000;
/** So many may wait; who comes then is told to come again. */
const MOST_WAITING = 30;
/** What is kept of drawn cards, in bytes: some four hundred. A busy coverage, whose page is made anew all the time, draws once. */
const KEPT_BYTES = 8 * 1024 * 1024;

type Answer = { id: number; png: Uint8Array | null };

/**
 * Has cards drawn in a process apart, one at a time, and keeps them by what is drawn on them.
 * @returns a function that ends it
 */
export function openDrawing({ idle = IDLE_MS, longest = LONGEST_MS, program = PROGRAM } = {}): () => void {
  const drawn = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 100,
  });
  const underWay = new Map<string, Promise<Uint8Array | null>>();
  const waiting = new Map<number, (png: Uint8Array | null) => void>();
  let child: ChildProcess | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let stopped = false;

  function begin(): ChildProcess {
    const { PATH, TMPDIR } = process.env;
    const begun = fork(program, {
      // Keys and addresses stand in ours.
      env: { PATH, TMPDIR },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    begun.on('message', (message) => {
      const { id, png } = message as Answer;
      settle(id, png);
    });
    // One that cannot be begun at all is told as an error, and has no end.
    const end = () => {
      if (child !== begun) return;
      child = undefined;
      for (const id of [...waiting.keys()]) settle(id, null);
    };
    begun.on('error', end);
    begun.once('exit', end);
    return begun;
  }

  function settle(id: number, png: Uint8Array | null): void {
    waiting.get(id)?.(png);
    waiting.delete(id);
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(kill, longest);
    else if (child) timer = setTimeout(kill, idle).unref();
  }

  function kill(): void {
    child?.kill('SIGKILL');
  }

  function ask(card: Card): Promise<Uint8Array | null> {
    const { promise, resolve: answer } = Promise.withResolvers<Uint8Array | null>();
    const id = ++last;
    child ??= begin();
    waiting.set(id, answer);
    if (waiting.size === 1) {
      clearTimeout(timer);
      timer = setTimeout(kill, longest);
    }
    child.send({ id, card }, (error) => error && settle(id, null));
    return promise;
  }

  const draw: Draw = async (card) => {
    const digest = digestOf(card);
    const kept = drawn.get(digest);
    if (kept) return kept;
    const known = underWay.get(digest);
    if (known) return known;
    if (stopped || waiting.size >= MOST_WAITING) return null;
    const asked = ask(card).finally(() => underWay.delete(digest));
    underWay.set(digest, asked);
    const png = await asked;
    if (png) drawn.set(digest, png);
    return png;
  };

  drawingDoor.draw = draw;
  return () => {
    stopped = true;
    drawingDoor.draw = undefined;
    clearTimeout(timer);
    kill();
  };
}
