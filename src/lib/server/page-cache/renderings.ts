import { packBest } from './compress.ts';
import { type Job, PriorityQueue } from './priority-queue.ts';
import type { How } from './store.ts';
import { type Copy, canBeSmaller, copyOf, type Rendered } from './stored-copy.ts';

/** No rendering is available now. The client may try again. */
export class NotRendered extends Error {
  override name = 'NotRendered';
}

/** The queue was full. This says nothing about the page. */
export class Crowded extends NotRendered {
  override name = 'Crowded';
}

/** The client has reached its limit of renderings. This says nothing about the page. */
export class RateLimited extends NotRendered {
  override name = 'RateLimited';
  /** Seconds until the client may cause a rendering again. */
  readonly wait: number;
  constructor(wait: number) {
    super('the client has caused too many renderings');
    this.wait = wait;
  }
}

/** The client that a rendering counts for. */
export type Asker = {
  /** Client network; undefined when it is not known. */
  client?: string;
  /** Called before a rendering begins. @returns 0, or the seconds until this client may cause one */
  admit?(): number;
};

/** Content of the rendering was removed while it ran, so the page must be rendered again. */
export class Outdated extends NotRendered {
  override name = 'Outdated';
}

/** Pause for a client whose waiting jobs fill the queue, in seconds. */
const TRY_AGAIN_S = 5;

/** @param held the stored response, if any; its ETag can save a new rendering */
export type Renderer = (key: string, held?: Rendered) => Promise<Rendered>;

export type RenderingOptions = {
  render(key: string): Promise<Rendered>;
  /** A monotonic clock in milliseconds. */
  now(): number;
  /** Stores a response. Called unless one of its tags was invalidated during the rendering. */
  keep(key: string, copy: Copy): void;
  /** Renderings that run at once. Default: 8. */
  atOnce?: number;
  /** Renderings that run at once for one client. Default: a third of all. */
  ofOneClient?: number;
  /** Renderings that may wait. With one more, the job with the lowest demand is rejected. Default: 200. */
  waiting?: number;
  /** Timeout of a rendering, and of its wait for a slot, in milliseconds. Default: 10,000. */
  longest?: number;
};

type Rendering = Job & {
  key: string;
  begun: boolean;
  /** The only client that waits for it. Repeated requests of this client do not raise the demand. */
  client?: string;
  /** Tags that were invalidated since the rendering began, and those of them whose content was removed. */
  changed: Names;
  gone: Names;
};

/**
 * Runs at most one rendering per key, which all requests for the key share.
 * A request never joins a rendering that began before an invalidation. A rendering is not stored if one of its tags was
 * invalidated while it ran, and it fails with `Outdated` if content that it shows was removed.
 */
export function openRenderings({ render, now, keep, ...bounds }: RenderingOptions) {
  const { atOnce = 8, ofOneClient = Math.ceil(atOnce / 3), waiting = 200, longest = 10_000 } = bounds;
  const queue = new PriorityQueue<Rendering>({
    concurrency: atOnce,
    forOneWaiter: Math.ceil(atOnce / 2),
    perClient: ofOneClient,
    capacity: waiting,
    timeoutMs: longest,
    rejectionFor(rendering, reason) {
      leave(rendering);
      return reason === 'client' ? new RateLimited(TRY_AGAIN_S) : new Crowded('too many are waiting');
    },
  });
  const joinable = new Map<string, { rendering: Rendering; copy: Promise<Copy> }>();
  const begun = new Set<Rendering>();
  let count = 0;

  /** Later requests for the key start a new rendering. */
  function leave(rendering: Rendering): void {
    if (joinable.get(rendering.key)?.rendering === rendering) joinable.delete(rendering.key);
  }

  async function make(rendering: Rendering): Promise<Copy> {
    const { key } = rendering;
    rendering.begun = true;
    begun.add(rendering);
    const beginning = { madeAt: now(), date: new Date().toUTCString(), order: count++ };
    try {
      const copy = copyOf(await within(longest, render(key)), beginning);
      // When nothing else is waiting, even the first reader gets the best compression.
      if (isSoonPacked(copy) && queue.isIdle(1)) copy.bodies = await packBest(copy.bodies);
      if (rendering.gone.haveAny(copy.tags)) throw new Outdated('what it shows is gone');
      if (copy.lifetime && !rendering.changed.haveAny(copy.tags)) keep(key, copy);
      return copy;
    } finally {
      begun.delete(rendering);
      leave(rendering);
    }
  }

  return {
    /**
     * Returns the rendering of a key, shared with other requests.
     * @param isKnown whether the key was requested before; raises its priority
     * @throws Crowded when the queue is full, RateLimited when the client caused too many renderings, NotRendered on a
     * timeout, or the error of the renderer
     */
    async join(key: string, isKnown: boolean, { client, admit }: Asker = {}): Promise<Copy> {
      const shared = joinable.get(key);
      if (shared) {
        const { rendering } = shared;
        if (client === undefined || client !== rendering.client) {
          rendering.waiters++;
          rendering.client = undefined;
          queue.reprioritize();
        }
        return shared.copy;
      }
      const wait = admit?.() ?? 0;
      if (wait > 0) throw new RateLimited(wait);
      const rendering: Rendering = {
        key,
        client,
        waiters: isKnown ? 2 : 1,
        begun: false,
        changed: openNames(),
        gone: openNames(),
      };
      const copy = queue.add(rendering, () => make(rendering));
      joinable.set(key, { rendering, copy });
      return copy;
    },

    isQuiet: () => queue.isIdle(),

    size: () => queue.stats(),

    /** Records an invalidation by tags, or of everything ('all'). */
    changed(tags: readonly string[] | 'all', how: How): void {
      for (const [key, { rendering }] of joinable) if (rendering.begun) joinable.delete(key);
      for (const { changed, gone } of begun) {
        changed.add(tags);
        if (how === 'gone') gone.add(tags);
      }
    },
  };
}

/** Up to this size the best compression takes at most 50 ms on the thread pool. In bytes. */
const SOON = 100_000;

const isSoonPacked = (copy: Copy) => canBeSmaller(copy) && copy.bodies.identity.length <= SOON;

type Names = ReturnType<typeof openNames>;

/** With more tags than this, every tag counts as invalidated. */
const MOST_NAMES = 1_000;

function openNames() {
  const names = new Set<string>();
  let all = false;
  return {
    add(more: readonly string[] | 'all'): void {
      if (more === 'all') all = true;
      else for (const name of more) names.add(name);
      all ||= names.size > MOST_NAMES;
    },
    haveAny: (some: readonly string[]) => all || some.some((name) => names.has(name)),
  };
}

/** @throws NotRendered on a timeout */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
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
