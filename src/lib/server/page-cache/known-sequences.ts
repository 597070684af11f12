import type { CoverageMessage, Seqs, SiteMessage } from './site-messages.ts';

/** What the watch does to the cache. */
export type Watched = {
  /** `stale` may still be served when no new rendering can be had; `gone` never again. */
  purge(tags: Iterable<string>, how: 'stale' | 'gone'): void;
  purgeAll(how: 'stale' | 'gone'): void;
  /** Every slug that leads to a coverage, old ones too; null when that is not known. */
  knowSlugs(slugs: ReadonlySet<string> | null): void;
};

/** What is known of the database, and what follows for the cache when something else is heard. */
export type Known = {
  /** A message has come. */
  hear(message: CoverageMessage | SiteMessage): void;
  /** The database is asked for its seqs: what is heard from now on may be newer than its answer. */
  asked(): void;
  /**
   * It has answered.
   * @returns false when something heard meanwhile contradicts the answer, so that it should be asked once more
   */
  learn(seqs: Seqs): boolean;
  /** It may be another one by now: which slugs there are is not claimed any more, and its next answer says nothing of copies. */
  doubt(): void;
};

/**
 * Holds the seqs that the cache's pages have been purged up to. Whatever does not follow from what was known (a seq
 * that is not the next one, forwards or backwards) means that messages were lost or that a backup was put back: then
 * all that could have changed is forgotten. To purge too much costs a rendering; too little shows readers an old page.
 */
export function openKnown(cache: Watched): Known {
  let known: Seqs = { site: -1, coverages: new Map() };
  let compared = false;
  let doubted = false;
  const heard = new Set<string>();

  function hearCoverage({ coverage, seq, tags, removed, slug }: CoverageMessage) {
    const before = known.coverages.get(coverage);
    const isNext = compared && seq === (before?.seq ?? 0) + 1;
    // A message that was lost may have named more than this one.
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
      // While it was away a backup may have been put back, and the same numbers may mean other changes now.
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

/** Stands among ids of coverages, which are UUIDs. */
const SITE = 'site';

type Verdict = 'same' | 'different' | 'older';
const sameOrNot = (same: boolean): Verdict => (same ? 'same' : 'different');

/** How what is answered of one coverage stands to what is known of it; `older` only when a message came meanwhile. */
function judge(known: Seqs, seqs: Seqs, id: string, wasHeard: boolean): Verdict {
  const before = known.coverages.get(id);
  const now = seqs.coverages.get(id);
  if (wasHeard && before && (now?.seq ?? -1) < before.seq) return 'older';
  return sameOrNot(before?.seq === now?.seq && areSame(before?.slugs, now?.slugs));
}

/** A message names the newest slug only, so in what order they stand says nothing. */
function areSame(some: string[] = [], others: string[] = []): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

/** Everything that a change of these coverages may have changed. */
function tagsOf(coverages: string[]): string[] {
  return [...coverages.flatMap((id) => [`coverage:${id}`, `photos:${id}`]), 'lists', 'missing'];
}
