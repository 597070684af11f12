import { Semaphore } from 'async-mutex';
import { type Copy, copyOf, type Rendered } from './copy.ts';

/** No rendering could be had; whoever asked may try again in a moment. */
export class NotRendered extends Error {
  override name = 'NotRendered';
}

export type Renderer = (key: string) => Promise<Rendered>;

export type RenderingOptions = {
  render: Renderer;
  /** Milliseconds. */
  now(): number;
  /** A rendering has ended well, and nothing that it shows has changed since it began. */
  keep(key: string, copy: Copy): void;
  /** How many at once: the backend and this process have others to serve too. */
  atOnce?: number;
  /** How many may wait for their turn; one more is refused. */
  waiting?: number;
  /** After this many milliseconds a rendering has failed. */
  longest?: number;
};

type Rendering = {
  begun: boolean;
  /** What has changed since it began: names, or all. */
  changed: Set<string> | 'all';
};

/** More names than this are as good as all. */
const MOST_NAMES = 1_000;

/**
 * Renderings under way, one for each key that all who ask share. Each remembers what changed since it began: then
 * it is for those alone who asked before, nobody joins it any more, and if it shows what changed it is not kept.
 */
export function openRenderings({ render, now, keep, ...bounds }: RenderingOptions) {
  const { atOnce = 8, waiting = 200, longest = 10_000 } = bounds;
  const turns = new Semaphore(atOnce);
  const joinable = new Map<string, { rendering: Rendering; copy: Promise<Copy> }>();
  const begun = new Set<Rendering>();
  let count = 0;
  /** Begun or waiting. */
  let pending = 0;

  async function make(key: string, rendering: Rendering): Promise<Copy> {
    rendering.begun = true;
    begun.add(rendering);
    const [madeAt, order] = [now(), count++];
    try {
      const copy = copyOf(await within(longest, render(key)), madeAt, order);
      const { changed } = rendering;
      if (copy.lifetime && changed !== 'all' && !copy.tags.some((tag) => changed.has(tag))) keep(key, copy);
      return copy;
    } finally {
      begun.delete(rendering);
      if (joinable.get(key)?.rendering === rendering) joinable.delete(key);
    }
  }

  function start(key: string): Promise<Copy> {
    const rendering: Rendering = { begun: false, changed: new Set() };
    pending++;
    const copy = turns
      .runExclusive(() => make(key, rendering))
      .finally(() => {
        pending--;
      });
    joinable.set(key, { rendering, copy });
    return copy;
  }

  return {
    /** @throws NotRendered when too many wait already, when it takes too long, or what the renderer throws */
    async join(key: string): Promise<Copy> {
      const shared = joinable.get(key);
      if (shared) return shared.copy;
      if (pending >= atOnce + waiting) throw new NotRendered('too many are waiting');
      return start(key);
    },

    isUnderWay: (key: string) => joinable.has(key),

    /** Is there a free turn? */
    isIdle: () => pending < atOnce,

    isQuiet: () => pending === 0,

    /** What has these names has changed; without names, everything. */
    changed(tags: Iterable<string> | 'all'): void {
      for (const [key, { rendering }] of joinable) if (rendering.begun) joinable.delete(key);
      for (const rendering of begun) {
        if (tags === 'all' || rendering.changed === 'all') rendering.changed = 'all';
        else for (const tag of tags) rendering.changed.add(tag);
        if (rendering.changed !== 'all' && rendering.changed.size > MOST_NAMES) rendering.changed = 'all';
      }
    },
  };
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotRendered('it took too long')), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
