import { monotonic } from './clock.ts';
import { within } from './renderings.ts';

/**
 * Minimum interval between two comparisons for unknown slugs: a coverage may have gone live meanwhile. In milliseconds.
 */
const ASK_AGAIN_MS = 2_000;
/** Maximum time that a request waits for a comparison, in milliseconds. */
const LONGEST_MS = 2_000;

export type Slugs = ReturnType<typeof openSlugs>;

/**
 * Knows which slugs lead to a coverage, so that requests for made-up slugs do not reach the backend.
 * @param ask compares the known slugs with the database and reports them by `know`
 */
export function openSlugs(ask: () => Promise<void>, now: () => number = monotonic) {
  let known: ReadonlySet<string> | null = null;
  /** The last known slugs, also while `known` is null. */
  let last: ReadonlySet<string> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: { since: number; done: Promise<void> } | undefined;

  async function askOnce(): Promise<void> {
    const since = now();
    try {
      await ask();
      askedAt = since;
    } finally {
      asking = undefined;
    }
  }

  return {
    /** Sets the slugs of all coverages, former ones included; null when they are not known. */
    know(slugs: ReadonlySet<string> | null): void {
      known = slugs;
      last = slugs ?? last;
    },

    /**
     * False when certainly no coverage has this slug.
     * @throws NotRendered when the comparison times out
     */
    async mayExist(slug: string): Promise<boolean> {
      if (last === null || (known ?? last).has(slug)) return true;
      if (now() - askedAt >= ASK_AGAIN_MS) {
        asking ??= { since: now(), done: askOnce().catch(() => undefined) };
        await within(Math.max(0, asking.since + LONGEST_MS - now()), asking.done);
      }
      return known === null || known.has(slug);
    },
  };
}
