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
  /** Makes the answer for a key: the path and the declared parameters of a public page. */
  render: Renderer;
  /** Milliseconds since any moment, on a clock that nobody sets. */
  now?: () => number;
  /** What the copies may take of memory, with all their encodings. */
  maxBytes?: number;
};

export type Cache = ReturnType<typeof openCache>;

const MEGABYTE = 1024 * 1024;

/**
 * For how long a rendering that failed is not tried again: a backend that is down is not asked all the time. Where it
 * took longer to fail, that long.
 */
const PAUSE_MS = 1_000;
/**
 * So many times as long as it took to fail, who comes next need not wait for another try: a copy that may stand in
 * does so at once. What fails at once keeps nobody waiting, and who comes long after that is told what is true then.
 */
const STANDS = 3;
/** How many failures are remembered. */
const FAILURES = 200;

/**
 * For how long a rendering is begun again because something that it shows was taken away meanwhile. Where a desk takes
 * away one thing after the other, a busy backend may need many tries until one of them has seen them all.
 */
const TRIES_MS = 10_000;

/**
 * For how long somebody waits for a newer page than the copy that may stand in. With more readers than it bears the server
 * shows them the last page, which says when it was made, and goes on making the new one.
 */
const PATIENCE_MS = 3_000;

type Outcome = { copy: Copy } | { copy?: undefined; error: unknown };

/** A rendering that failed, and until when it is not tried again, and is taken for what the next one would do. */
type Failure = { outcome: Outcome; paused: number; stands: number };

/**
 * Answers of public pages, kept for as long as they say themselves (RFC 9111) and no longer than nothing on them
 * changes. It knows nothing of HTTP connections or of pages.
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
    // What could not be had before a change may be there after it.
    else if (!isOfTheMoment(outcome) && purges === before) remember(key, outcome, now() - began);
    return outcome;
  }

  /** Of those who waited for the same one, who came first knows best how long it took. */
  function remember(key: string, outcome: Outcome, took: number): void {
    const { paused = 0, stands = 0 } = failures.get(key) ?? {};
    failures.set(key, {
      outcome,
      paused: Math.max(paused, now() + Math.max(PAUSE_MS, took)),
      stands: Math.max(stands, now() + Math.max(PAUSE_MS, took * STANDS)),
    });
  }

  /** Would a new rendering most likely fail as the last one did? */
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
    /** The copy that may be served as it is, if there is one. */
    lookup(key: string): Copy | undefined {
      const copy = store.get(key);
      return copy && isFresh(copy, now()) ? serve(copy) : undefined;
    },

    /**
     * The answer for a key: a copy while it may be used, else a new rendering, shared by all who ask meanwhile, else
     * the last copy. It knows at least every change that was told of (`purge`) before it was asked for, unless
     * nothing newer can be made, or not soon.
     * @throws whatever made the rendering fail, when there is nothing to stand in for it
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
        // Asked for again: meanwhile it may have been purged.
        const spare = store.get(key);
        if (spare && isSpare(spare, now())) return serve(spare);
      }
      const made = outcome ?? (await making);
      if (made.copy) return made.copy;
      throw made.error;
    },

    isKept,

    /** Puts better compressed bodies into a copy, if it is still the one that is kept. */
    repack(key: string, copy: Copy, bodies: Copy['bodies']): void {
      if (isKept(key, copy)) store.put(key, { ...copy, bodies });
    },

    /**
     * What has these names has changed: copies that show it are not served any more, or at most (`stale`) when no new
     * one can be made, and renderings under way that show it are not kept.
     */
    purge(tags: Iterable<string>, how: How): void {
      const names = [...tags];
      forgetFailures();
      renderings.changed(names, how);
      store.drop(names, how);
    },

    /** The same for everything. */
    purgeAll(how: How): void {
      forgetFailures();
      renderings.changed('all', how);
      store.dropAll(how);
    },

    /** Is nothing being rendered? */
    isQuiet: renderings.isQuiet,

    size: store.size,

    sizes(): Sizes {
      const { bytes, copies, evicted } = store.size();
      const { running, waiting, rejected: refused } = renderings.size();
      return { copies, bytes, evicted, rendering: running, waiting, refused };
    },
  };
}

/** Is it there within so many milliseconds? It never fails. */
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

/** Whether it failed for a reason that says nothing of the page. */
const isOfTheMoment = ({ copy, ...outcome }: Outcome) =>
  !copy && 'error' in outcome && (outcome.error instanceof Crowded || outcome.error instanceof RateLimited);
