import { LRUCache } from 'lru-cache';
import { monotonic } from './clock.ts';
import {
  type Asker,
  Crowded,
  Outdated,
  openRenderings,
  RateLimited,
  type Renderer,
  type RenderingOptions,
} from './renderings.ts';
import { type How, openStore } from './store.ts';
import { type Copy, isFresh, isSpare, isUsable, type Sizes } from './stored-copy.ts';

export type CacheOptions = Pick<RenderingOptions, 'atOnce' | 'ofOneClient' | 'waiting' | 'longest'> & {
  /** Renders the response for a key: the path and the declared parameters of a public page. */
  render: Renderer;
  /** A monotonic clock in milliseconds. Default: `monotonic`. */
  now?: () => number;
  /** Memory limit for all responses with all their encodings, in bytes. */
  maxBytes?: number;
};

export type Cache = ReturnType<typeof openCache>;

const MEGABYTE = 1024 * 1024;

/**
 * A key whose rendering failed is not rendered again for this long, or for as long as the failed attempt took if that
 * was longer. This limits the load on a backend that is down.
 */
const PAUSE_MS = 1_000;
/**
 * While a key is failing, requests get its stale copy at once instead of waiting for another attempt. That lasts this
 * many times the duration of the failed attempt, and at least `PAUSE_MS`.
 */
const STANDS = 3;
/** Maximum number of remembered failures. */
const FAILURES = 200;

/**
 * How long a rendering is repeated when content that it shows was removed while it ran. A desk that removes several
 * items in a row can outdate several attempts on a busy backend.
 */
const TRIES_MS = 10_000;

/**
 * How long a request waits for a new page when a stale copy exists. After that it gets the stale copy, which shows its
 * time, and the rendering continues.
 */
const PATIENCE_MS = 3_000;

type Outcome = { copy: Copy } | { copy?: undefined; error: unknown };

/**
 * A failed rendering. `paused`: no new attempt before this time. `stands`: stale copies are served at once until this
 * time.
 */
type Failure = { outcome: Outcome; paused: number; stands: number };

/**
 * A cache of rendered public pages with the semantics of RFC 9111. A response is served until its lifetime ends or one
 * of its tags is purged. The cache knows nothing of HTTP connections or of Astro.
 */
export function openCache({ render, now = monotonic, maxBytes = 64 * MEGABYTE, ...bounds }: CacheOptions) {
  const store = openStore(maxBytes);
  const renderings = openRenderings({
    render: (key) => render(key, store.peek(key)),
    now,
    keep: store.put,
    ...bounds,
  });
  const failures = new LRUCache<string, Failure>({ max: FAILURES });
  let purges = 0;

  const join = (key: string, asker?: Asker): Promise<Outcome> =>
    renderings.join(key, store.peek(key) !== undefined, asker).then(
      (copy) => ({ copy }),
      (error: unknown) => ({ error }),
    );

  async function make(key: string, asker?: Asker): Promise<Outcome> {
    const failed = failures.get(key);
    if (failed && now() < failed.paused) return failed.outcome;
    const [began, before] = [now(), purges];
    let outcome = await join(key, asker);
    while (isOutdated(outcome) && now() - began < TRIES_MS) outcome = await join(key);
    if (!hasFailed(outcome)) failures.delete(key);
    // A purge during the attempt may have fixed its cause, so such a failure is not remembered.
    else if (!isOfTheMoment(outcome) && purges === before) remember(key, outcome, now() - began);
    return outcome;
  }

  /** Several requests can wait for one rendering. The one that waited longest determines the pause. */
  function remember(key: string, outcome: Outcome, took: number): void {
    const { paused = 0, stands = 0 } = failures.get(key) ?? {};
    failures.set(key, {
      outcome,
      paused: Math.max(paused, now() + Math.max(PAUSE_MS, took)),
      stands: Math.max(stands, now() + Math.max(PAUSE_MS, took * STANDS)),
    });
  }

  /** Whether a new rendering would probably fail like the last one. */
  const isFailing = (key: string) => now() < (failures.get(key)?.stands ?? Number.NEGATIVE_INFINITY);

  function forgetFailures(): void {
    purges++;
    failures.clear();
  }

  const isKept = (key: string, copy: Copy) => store.peek(key) === copy;

  function serve(copy: Copy): Copy {
    copy.served++;
    return copy;
  }

  return {
    /** The stored response if it is fresh, otherwise undefined. */
    lookup(key: string): Copy | undefined {
      const copy = store.get(key);
      return copy && isFresh(copy, now()) ? serve(copy) : undefined;
    },

    /**
     * Returns the response for a key: the stored one while it is fresh or may be revalidated, else a new rendering that
     * all concurrent requests share, else the stale copy. A new rendering reflects every purge that preceded this call.
     * @throws the error of the rendering when there is no stale copy
     */
    async fetch(key: string, asker?: Asker): Promise<Copy> {
      const kept = store.get(key);
      if (kept && isFresh(kept, now())) return serve(kept);
      if (kept && (isUsable(kept, now()) || (isSpare(kept, now()) && isFailing(key)))) {
        void make(key, asker);
        return serve(kept);
      }
      const making = make(key, asker);
      const inTime = kept && isSpare(kept, now()) ? await settled(PATIENCE_MS, making) : true;
      const outcome = inTime ? await making : undefined;
      if (!outcome || hasFailed(outcome)) {
        // Read again: the stale copy may have been purged while the rendering ran.
        const spare = store.get(key);
        if (spare && isSpare(spare, now())) return serve(spare);
      }
      const made = outcome ?? (await making);
      if (made.copy) return made.copy;
      throw made.error;
    },

    isKept,

    /** Replaces the bodies of a stored response by smaller ones, unless another response has replaced it. */
    repack(key: string, copy: Copy, bodies: Copy['bodies']): void {
      if (isKept(key, copy)) store.put(key, { ...copy, bodies });
    },

    /**
     * Invalidates responses by tag. With `stale` they may still be served when rendering fails; with `gone` never.
     * Renderings in progress that carry such a tag are not stored.
     */
    purge(tags: Iterable<string>, how: How): void {
      const names = [...tags];
      forgetFailures();
      renderings.changed(names, how);
      store.drop(names, how);
    },

    /** Invalidates every response, like `purge`. */
    purgeAll(how: How): void {
      forgetFailures();
      renderings.changed('all', how);
      store.dropAll(how);
    },

    /** Whether no rendering is running or waiting. */
    isQuiet: renderings.isQuiet,

    size: store.size,

    sizes(): Sizes {
      const { bytes, copies, evicted } = store.size();
      const { running, waiting, rejected: refused } = renderings.size();
      return { copies, bytes, evicted, rendering: running, waiting, refused };
    },
  };
}

/** Resolves with true when the promise settles in time, else with false. It never rejects. */
async function settled(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const done = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return done;
}

const hasFailed = ({ copy }: Outcome) => !copy || copy.status >= 500;

const isOutdated = (outcome: Outcome) => !outcome.copy && outcome.error instanceof Outdated;

/** Whether the failure says nothing about the page itself: a full queue or a rate limit. */
const isOfTheMoment = ({ copy, ...outcome }: Outcome) =>
  !copy && 'error' in outcome && (outcome.error instanceof Crowded || outcome.error instanceof RateLimited);
