/** A slug that is not known is asked about again after so many milliseconds: it may have gone live just now. */
const ASK_AGAIN_MS = 2_000;

export type Slugs = ReturnType<typeof openSlugs>;

/**
 * Which slugs lead to a coverage, so that whoever makes up addresses costs the backend nothing.
 * @param ask compares what is known with the database, and tells it by `know`
 */
export function openSlugs(ask: () => Promise<void>, now: () => number = Date.now) {
  let known: ReadonlySet<string> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function askOnce(): Promise<void> {
    const began = now();
    try {
      await ask();
      askedAt = began;
    } finally {
      asking = undefined;
    }
  }

  return {
    /** All slugs that lead to a coverage, old ones too; null when that is not known. */
    know(slugs: ReadonlySet<string> | null): void {
      known = slugs;
    },

    /** False when there is certainly no coverage with this slug. */
    async mayExist(slug: string): Promise<boolean> {
      if (known === null || known.has(slug)) return true;
      if (now() - askedAt >= ASK_AGAIN_MS) {
        asking ??= askOnce();
        await asking.catch(() => undefined);
      }
      return known === null || known.has(slug);
    },
  };
}
