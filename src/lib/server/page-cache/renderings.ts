import { settlesWithin } from '../../data/fetch-timeout.ts';
import {
  type CachedResponse,
  cachedResponseOf,
  type PurgeMode,
  type RenderedResponse,
} from './cached-response.ts';
import { PriorityQueue, type QueuedJob } from './priority-queue.ts';

/** No rendering is available now. The client may try again. */
export class NotRendered extends Error {
  override name = 'NotRendered';
}

/** The queue was full. This says nothing about the page. */
export class QueueFull extends NotRendered {
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
export type Requester = {
  /** Client network; undefined when it is not known. */
  client?: string;
  /** Called before a rendering begins. @returns 0, or the seconds until this client may cause one */
  admit?(): number;
  /** Whether the rendering prepares a page that no reader waits for yet. Renderings with readers go first. */
  isRefresh?: boolean;
  /** Whether the client reloads the page: it gets no copy from before an invalidation that the site knows. */
  isReload?: boolean;
};

/** Content of the rendering was removed while it ran, so the page must be rendered again. */
export class Outdated extends NotRendered {
  override name = 'Outdated';
}

/** Pause for a client whose waiting jobs fill the queue, in seconds. */
const RETRY_AFTER_S = 5;

/** @param stored the stored response, if any; its ETag can save a new rendering */
export type Renderer = (key: string, stored?: RenderedResponse) => Promise<RenderedResponse>;

export type RenderingOptions = {
  render(key: string): Promise<RenderedResponse>;
  /** A monotonic clock in milliseconds. */
  now(): number;
  /**
   * Stores a response. If one of its tags was invalidated during the rendering, it has an `invalidatedAt`, and its
   * content was not removed.
   */
  store(key: string, copy: CachedResponse): void;
  /** Called after a rendering during which one of its tags was invalidated. */
  outdated(key: string): void;
  /** Renderings that run at once. Default: 8. */
  concurrency?: number;
  /** Renderings that run at once for one client. Default: a third of all. */
  perClient?: number;
  /** Renderings that may wait. With one more, the job with the lowest demand is rejected. Default: 200. */
  capacity?: number;
  /** Timeout of a rendering, and of its wait for a slot, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
};

type Rendering = QueuedJob & {
  key: string;
  begun: boolean;
  /** The only client that waits for it. Repeated requests of this client do not raise the demand. */
  client?: string;
  /** Tags that were invalidated since the rendering began, and those of them whose content was removed. */
  purged: TagSet;
  removed: TagSet;
};

/**
 * Runs at most one rendering per key, which all requests for the key share.
 * A request never joins a rendering that began before an invalidation. A rendering is not stored if one of its tags was
 * invalidated while it ran, and it fails with `Outdated` if content that it shows was removed.
 */
export function createRenderings({ render, now, store, outdated, ...bounds }: RenderingOptions) {
  const {
    concurrency = 8,
    perClient = Math.ceil(concurrency / 3),
    capacity = 200,
    timeoutMs = 10_000,
  } = bounds;
  const queue = new PriorityQueue<Rendering>({
    concurrency,
    forOneWaiter: Math.ceil(concurrency / 2),
    perClient,
    capacity,
    timeoutMs,
    rejectionFor(rendering, reason) {
      leave(rendering);
      return reason === 'client' ? new RateLimited(RETRY_AFTER_S) : new QueueFull('too many are waiting');
    },
  });
  const joinable = new Map<string, { rendering: Rendering; copy: Promise<CachedResponse> }>();
  const begun = new Set<Rendering>();
  let count = 0;

  /** Later requests for the key start a new rendering. */
  function leave(rendering: Rendering): void {
    if (joinable.get(rendering.key)?.rendering === rendering) joinable.delete(rendering.key);
  }

  async function make(rendering: Rendering): Promise<CachedResponse> {
    const { key } = rendering;
    rendering.begun = true;
    begun.add(rendering);
    let isOutdated = false;
    const beginning = { madeAt: now(), date: new Date().toUTCString(), order: count++ };
    try {
      const copy = cachedResponseOf(await withRenderTimeout(timeoutMs, render(key)), beginning);
      if (rendering.removed.firstOf(copy.tags) !== null) throw new Outdated('what it shows is gone');
      copy.invalidatedAt = rendering.purged.firstOf(copy.tags);
      isOutdated = copy.invalidatedAt !== null;
      if (copy.lifetime) store(key, copy);
      return copy;
    } finally {
      begun.delete(rendering);
      leave(rendering);
      if (isOutdated) outdated(key);
    }
  }

  return {
    /**
     * Returns the rendering of a key, shared with other requests.
     * @param isKnown whether the key was requested before; raises its priority
     * @throws QueueFull when the queue is full, RateLimited when the client caused too many renderings, NotRendered
     * on a
     * timeout, or the error of the renderer
     */
    async join(
      key: string,
      isKnown: boolean,
      { client, admit, isRefresh }: Requester = {},
    ): Promise<CachedResponse> {
      const shared = joinable.get(key);
      if (shared) {
        const { rendering } = shared;
        if (!isRefresh && (client === undefined || client !== rendering.client)) {
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
        waiters: isRefresh ? 0 : isKnown ? 2 : 1,
        begun: false,
        purged: createTagSet(),
        removed: createTagSet(),
      };
      const copy = queue.add(rendering, () => make(rendering));
      joinable.set(key, { rendering, copy });
      // The queue may have rejected it at once, before it was joinable.
      copy.catch(() => leave(rendering));
      return copy;
    },

    isIdle: () => queue.isIdle(),

    size: () => queue.stats(),

    /** Records an invalidation by tags, or of everything ('all'). */
    purge(tags: readonly string[] | 'all', mode: PurgeMode): void {
      for (const [key, { rendering }] of joinable) if (rendering.begun) joinable.delete(key);
      for (const { purged, removed } of begun) {
        purged.add(tags, now());
        if (mode === 'gone') removed.add(tags, now());
      }
    },
  };
}

type TagSet = ReturnType<typeof createTagSet>;

/** With more tags than this, every tag counts as invalidated. */
const MAX_TAGS = 1_000;

/** Invalidated tags, each with the time of its first invalidation. */
function createTagSet() {
  const times = new Map<string, number>();
  let allAt = Number.POSITIVE_INFINITY;
  return {
    add(tags: readonly string[] | 'all', now: number): void {
      if (tags === 'all' || times.size + tags.length > MAX_TAGS) allAt = Math.min(allAt, now);
      else for (const name of tags) if (!times.has(name)) times.set(name, now);
    },
    /** Returns the time at which the first of these tags was invalidated; null if none was. */
    firstOf(tags: readonly string[]): number | null {
      const first = Math.min(allAt, ...tags.map((name) => times.get(name) ?? Number.POSITIVE_INFINITY));
      return first === Number.POSITIVE_INFINITY ? null : first;
    },
  };
}

/** @throws NotRendered on a timeout */
export async function withRenderTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  if (await settlesWithin(milliseconds, promise)) return promise;
  throw new NotRendered('it took too long');
}
