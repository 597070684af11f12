import { packBest } from './compress.ts';
import { type Job, PriorityQueue } from './priority-queue.ts';
import type { How } from './store.ts';
import { type Copy, canBeSmaller, copyOf, type Rendered } from './stored-copy.ts';

/** No rendering could be had; whoever asked may try again in a moment. */
export class NotRendered extends Error {
  override name = 'NotRendered';
}

/** There was no room to wait for a turn. That says nothing of the page. */
export class Crowded extends NotRendered {
  override name = 'Crowded';
}

/** The client that asks may cause no more renderings for a while. That says nothing of the page. */
export class RateLimited extends NotRendered {
  override name = 'RateLimited';
  /** Seconds until it may. */
  readonly wait: number;
  constructor(wait: number) {
    super('the client has caused too many renderings');
    this.wait = wait;
  }
}

/** For whom a page is asked for. */
export type Asker = {
  /** The client network; undefined when it is not known. */
  client?: string;
  /** Called before a rendering begins. @returns 0, or the seconds until this client may cause one */
  admit?(): number;
};

/** What was rendered has been taken away meanwhile: it has to be rendered anew. */
export class Outdated extends NotRendered {
  override name = 'Outdated';
}

/** A client whose requests wait in the queue in such numbers that one is rejected may try again after this, in seconds. */
const TRY_AGAIN_S = 5;

/** @param held what is kept for the key, if anything: where it is still good, it need not be made again */
export type Renderer = (key: string, held?: Rendered) => Promise<Rendered>;

export type RenderingOptions = {
  render(key: string): Promise<Rendered>;
  /** Milliseconds. */
  now(): number;
  /** A rendering has ended well, and nothing that it shows has changed since it began. */
  keep(key: string, copy: Copy): void;
  /** How many at once: the backend and this process have others to serve too. */
  atOnce?: number;
  /** How many of these at once for one client. */
  ofOneClient?: number;
  /** How many may wait for their turn: when it is one more, what is asked for least is refused. */
  waiting?: number;
  /** After this many milliseconds a rendering has failed, and so has the wait for its turn. */
  longest?: number;
};

type Rendering = Job & {
  key: string;
  begun: boolean;
  /** The client that waits for it, while there is only one: the same client asking again adds no demand. */
  client?: string;
  /** What has changed since it began, and what of that was taken away. */
  changed: Names;
  gone: Names;
};

/**
 * Renderings under way, one for each key that all who ask share. Each remembers what changed since it began: then
 * it is for those alone who asked before, nobody joins it any more, and if it shows what changed it is not kept. What
 * shows something that was taken away is for nobody.
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

  /** Nobody joins it any more. */
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
      // While nobody waits for anything else, even the first reader gets the smallest form.
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
     * @param isKnown it has been asked for before
     * @throws NotRendered when too many wait (Crowded), when this client has caused too many renderings (RateLimited) or
     * when it takes too long; or what the renderer throws
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

    /** What has these names has changed, or is gone; 'all' of it, whatever its names. */
    changed(tags: readonly string[] | 'all', how: How): void {
      for (const [key, { rendering }] of joinable) if (rendering.begun) joinable.delete(key);
      for (const { changed, gone } of begun) {
        changed.add(tags);
        if (how === 'gone') gone.add(tags);
      }
    },
  };
}

/** Up to so many bytes the smallest form takes a twentieth of a second, on another thread. */
const SOON = 100_000;

const isSoonPacked = (copy: Copy) => canBeSmaller(copy) && copy.bodies.identity.length <= SOON;

type Names = ReturnType<typeof openNames>;

/** More names than this are as good as all. */
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

/** @throws NotRendered when it takes longer */
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
