import type { CoverageMessage, Seqs, SiteMessage } from './site-messages.ts';

/** The part of the page cache that invalidation controls. */
export type Watched = {
  /** `stale`: may be served when rendering fails. `gone`: is never served again. */
  purge(tags: Iterable<string>, how: 'stale' | 'gone'): void;
  purgeAll(how: 'stale' | 'gone'): void;
  /** Sets the slugs of all coverages, former ones included; null when they are not known. */
  knowSlugs(slugs: ReadonlySet<string> | null): void;
};

/** The sequences that the cache reflects, and the purges that follow from new ones. */
export type Known = {
  /** Applies a message. */
  hear(message: CoverageMessage | SiteMessage): void;
  /** A comparison begins: messages from now on may be newer than its result. */
  asked(): void;
  /**
   * Applies the result of a comparison.
   * @returns false when a message that arrived meanwhile is newer than the result, so that another comparison is needed
   */
  learn(seqs: Seqs): boolean;
  /**
   * The backend may have another database by now. Slugs count as unknown, and the next result makes all responses
   * stale.
   */
  doubt(): void;
};

/**
 * Holds the sequences up to which the cache was purged. A message whose seq is not the next one means that messages
 * were lost or that a backup was restored. Then everything that could have changed is purged: an unnecessary purge
 * costs one rendering, a missing one shows readers an old page.
 */
export function openKnown(cache: Watched): Known {
  let known: Seqs = { site: -1, coverages: new Map() };
  let compared = false;
  let doubted = false;
  const heard = new Set<string>();

  function hearCoverage({ coverage, seq, tags, removed, slug }: CoverageMessage) {
    const before = known.coverages.get(coverage);
    const isNext = compared && seq === (before?.seq ?? 0) + 1;
    // A lost message may have named more tags than this one.
    if (isNext) cache.purge(tags, removed ? 'gone' : 'stale');
    else cache.purge([...tags, ...tagsOf([coverage])], 'gone');
    known.coverages.set(coverage, { seq, slugs: [...new Set([slug, ...(before?.slugs ?? [])])] });
    heard.add(coverage);
    if (compared && !doubted && !before?.slugs.includes(slug)) tellSlugs();
  }

  function hearSite({ site, tags, removed }: SiteMessage) {
    const isNext = compared && site === known.site + 1;
    if (isNext) cache.purge(tags, removed ? 'gone' : 'stale');
    else cache.purgeAll('gone');
    known.site = site;
    heard.add(SITE);
  }

  function tellSlugs() {
    cache.knowSlugs(new Set([...known.coverages.values()].flatMap(({ slugs }) => slugs)));
  }

  return {
    hear(message) {
      if ('site' in message) hearSite(message);
      else hearCoverage(message);
    },

    asked: () => heard.clear(),

    learn(seqs) {
      const ids = new Set([...known.coverages.keys(), ...seqs.coverages.keys()]);
      const verdicts = new Map([...ids].map((id) => [id, judge(known, seqs, id, heard.has(id))]));
      const site = heard.has(SITE) && seqs.site < known.site ? 'older' : sameOrNot(seqs.site === known.site);
      const changed = [...ids].filter((id) => verdicts.get(id) === 'different');

      if (!compared || site === 'different') cache.purgeAll('gone');
      else if (changed.length > 0) cache.purge(tagsOf(changed), 'gone');
      // A backup may have been restored during the outage, so equal sequences can stand for different changes.
      if (doubted) cache.purgeAll('stale');

      const isOlder = (id: string) => verdicts.get(id) === 'older';
      const kept = [...known.coverages].filter(([id]) => isOlder(id));
      known = {
        site: site === 'older' ? known.site : seqs.site,
        coverages: new Map([...seqs.coverages, ...kept]),
      };
      compared = true;
      doubted = false;
      tellSlugs();
      return site !== 'older' && kept.length === 0;
    },

    doubt() {
      doubted = true;
      cache.knowSlugs(null);
    },
  };
}

/** Key among the ids of coverages, which are UUIDs. */
const SITE = 'site';

type Verdict = 'same' | 'different' | 'older';
const sameOrNot = (same: boolean): Verdict => (same ? 'same' : 'different');

/**
 * Compares the result for one coverage with the known sequence. `older` only if a message arrived during the
 * comparison.
 */
function judge(known: Seqs, seqs: Seqs, id: string, wasHeard: boolean): Verdict {
  const before = known.coverages.get(id);
  const now = seqs.coverages.get(id);
  if (wasHeard && before && (now?.seq ?? -1) < before.seq) return 'older';
  return sameOrNot(before?.seq === now?.seq && areSame(before?.slugs, now?.slugs));
}

/** Ignores the order: a message names only the newest slug. */
function areSame(some: string[] = [], others: string[] = []): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

/** The tags of all pages that can show these coverages. */
function tagsOf(coverages: string[]): string[] {
  return [...coverages.flatMap((id) => [`coverage:${id}`, `photos:${id}`]), 'lists', 'missing'];
}
