import { monotonic } from './clock.ts';
import { within } from './renderings.ts';

/** A slug that is not known is asked about again after so many milliseconds: it may have gone live just now. */
const ASK_AGAIN_MS = 2_000;
/** Who asks for one waits no longer for the answer: a backend that stands still would hold everybody. */
const LONGEST_MS = 2_000;

export type Slugs = ReturnType<typeof openSlugs>;

/**
 * Which slugs lead to a coverage, so that whoever makes up addresses costs the backend nothing.
 * @param ask compares what is known with the database, and tells it by `know`
 */
export function openSlugs(ask: () => Promise<void>, now: () => number = monotonic) {
  let known: ReadonlySet<string> | null = null;
  /** What was known last, while that is not claimed any more. */
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
    /** All slugs that lead to a coverage, old ones too; null when that is not known. */
    know(slugs: ReadonlySet<string> | null): void {
      known = slugs;
      last = slugs ?? last;
    },

    /**
     * False when there is certainly no coverage with this slug.
     * @throws NotRendered when that is asked and no answer comes
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
