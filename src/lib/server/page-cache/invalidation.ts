import { log } from '../../data/log.ts';
import { dataOf } from '../../data/result.ts';
import { serviceRealtimeClient, subscribeToSite } from '../../data/site-channel.ts';
import { SERVER } from '../../i18n/cli.ts';

/** Message about a coverage: the last public change of a transaction. */
export type CoverageMessage = {
  coverage: string;
  seq: number;
  tags: string[];
  /** Whether content was removed. */
  removed: boolean;
  /** Current slug of the coverage. */
  slug: string;
};

/** Message about a change that affects every page, such as the site's settings. */
type SiteMessage = { site: number; tags: string[]; removed: boolean };

/** Snapshot of all sequences: of the site and of each coverage that is not a draft. */
export type Seqs = {
  site: number;
  /** By coverage id: the last seq, the current slug and its former slugs. */
  coverages: Map<string, { seq: number; slugs: string[] }>;
};

/** Parses a message of the topic `site`. Returns null when it is malformed. */
export function readMessage(payload: unknown): CoverageMessage | SiteMessage | null {
  if (!isRecord(payload)) return null;
  const { coverage, seq, removed, slug, site, tags } = payload;
  if (!isStringArray(tags)) return null;
  const change = { tags, removed: removed !== false };
  if (isCount(site)) return { site, ...change };
  if (typeof coverage !== 'string' || !isCount(seq) || typeof slug !== 'string') return null;
  return { coverage, seq, slug, ...change };
}

/**
 * Parses the result of `site_seqs()`.
 * @throws Error when it is malformed
 */
export function readSeqs(result: unknown): Seqs {
  const { site, coverages } = isRecord(result) ? result : {};
  if (!isCount(site) || !isRecord(coverages)) throw new Error('This is no answer of site_seqs().');
  return { site, coverages: new Map(Object.entries(coverages).map(([id, row]) => [id, readRow(row)])) };
}

function readRow(row: unknown): { seq: number; slugs: string[] } {
  const [seq, ...slugs] = Array.isArray(row) ? (row as unknown[]) : [];
  if (!isCount(seq) || !isStringArray(slugs)) throw new Error('This is no row of site_seqs().');
  return { seq, slugs };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The part of the page cache that invalidation controls. */
export type InvalidatedCache = {
  /** `stale`: may be served when rendering fails. `gone`: is never served again. */
  purge(tags: Iterable<string>, mode: 'stale' | 'gone'): void;
  purgeAll(mode: 'stale' | 'gone'): void;
  /** Sets the slugs of all coverages, former ones included; null when they are not known. */
  setSlugs(slugs: ReadonlySet<string> | null): void;
};

/**
 * Holds the sequences up to which the cache was purged. A message whose seq is not the next one means that messages
 * were lost or that a backup was restored. Then everything that could have changed is purged: an unnecessary purge
 * costs one rendering, a missing one shows readers an old page.
 */
export function createKnownSequences(cache: InvalidatedCache) {
  let known: Seqs = { site: -1, coverages: new Map() };
  let compared = false;
  let isUncertain = false;
  const changedMeanwhile = new Set<string>();

  function applyCoverageMessage({ coverage, seq, tags, removed, slug }: CoverageMessage) {
    const before = known.coverages.get(coverage);
    const isNext = compared && seq === (before?.seq ?? 0) + 1;
    // A lost message may have named more tags than this one.
    if (isNext) cache.purge(tags, removed ? 'gone' : 'stale');
    else cache.purge([...tags, ...tagsOf([coverage])], 'gone');
    known.coverages.set(coverage, { seq, slugs: [...new Set([slug, ...(before?.slugs ?? [])])] });
    changedMeanwhile.add(coverage);
    if (compared && !isUncertain && !before?.slugs.includes(slug)) reportSlugs();
  }

  function applySiteMessage({ site, tags, removed }: SiteMessage) {
    const isNext = compared && site === known.site + 1;
    if (isNext) cache.purge(tags, removed ? 'gone' : 'stale');
    else cache.purgeAll('gone');
    known.site = site;
    changedMeanwhile.add(SITE);
  }

  function reportSlugs() {
    cache.setSlugs(new Set([...known.coverages.values()].flatMap(({ slugs }) => slugs)));
  }

  return {
    applyMessage(message: CoverageMessage | SiteMessage): void {
      if ('site' in message) applySiteMessage(message);
      else applyCoverageMessage(message);
    },

    /** A comparison begins: messages from now on may be newer than its result. */
    comparisonStarted: () => changedMeanwhile.clear(),

    /**
     * Applies the result of a comparison.
     * @returns false when a message that arrived meanwhile is newer than the result, so that another comparison is needed
     */
    applySeqs(seqs: Seqs): boolean {
      const ids = new Set([...known.coverages.keys(), ...seqs.coverages.keys()]);
      const comparisons = new Map(
        [...ids].map((id) => [id, compareCoverage(known, seqs, id, changedMeanwhile.has(id))]),
      );
      const site =
        changedMeanwhile.has(SITE) && seqs.site < known.site ? 'older' : sameOrNot(seqs.site === known.site);
      const changed = [...ids].filter((id) => comparisons.get(id) === 'different');

      if (!compared || site === 'different') cache.purgeAll('gone');
      else if (changed.length > 0) cache.purge(tagsOf(changed), 'gone');
      // A backup may have been restored during the outage, so equal sequences can stand for different changes.
      if (isUncertain) cache.purgeAll('stale');

      const isOlder = (id: string) => comparisons.get(id) === 'older';
      const newer = [...known.coverages].filter(([id]) => isOlder(id));
      known = {
        site: site === 'older' ? known.site : seqs.site,
        coverages: new Map([...seqs.coverages, ...newer]),
      };
      compared = true;
      isUncertain = false;
      reportSlugs();
      return site !== 'older' && newer.length === 0;
    },

    /**
     * The backend may have another database by now. Slugs count as unknown, and the next result makes all responses
     * stale.
     */
    markUncertain(): void {
      isUncertain = true;
      cache.setSlugs(null);
    },
  };
}

/** Key among the ids of coverages, which are UUIDs. */
const SITE = 'site';

type Comparison = 'same' | 'different' | 'older';
const sameOrNot = (same: boolean): Comparison => (same ? 'same' : 'different');

/**
 * Compares the result for one coverage with the known sequence. `older` only if a message arrived during the
 * comparison.
 */
function compareCoverage(known: Seqs, seqs: Seqs, id: string, hasMessage: boolean): Comparison {
  const before = known.coverages.get(id);
  const now = seqs.coverages.get(id);
  if (hasMessage && before && (now?.seq ?? -1) < before.seq) return 'older';
  return sameOrNot(before?.seq === now?.seq && areSame(before?.slugs, now?.slugs));
}

/** Ignores the order: a message names only the newest slug. */
function areSame(some: string[] = [], others: string[] = []): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

/** The tags of all pages that can show these coverages. */
function tagsOf(coverages: string[]): string[] {
  const own = coverages.flatMap((id) => [`coverage:${id}`, `coverage-fields:${id}`, `photos:${id}`]);
  return [...own, 'lists', 'feeds', 'sitemaps', 'corrections', 'updates', 'missing'];
}

/** Connection to the database's sequences and messages. */
export type InvalidationSource = {
  /** Reads the sequences of the site and of all coverages in one query. Rejects on a timeout. */
  readSeqs(): Promise<Seqs>;
  /**
   * Subscribes to the Realtime topic `site` and joins again after each loss of the connection.
   * @returns a function that unsubscribes
   */
  subscribe(listener: { joined(): void; lost?(): void; message(payload: unknown): void }): () => void;
};

export type Invalidation = {
  /** Compares the known sequences with the database. Resolves when the comparison has succeeded or failed. */
  requestComparison(): Promise<void>;
  /** Whether the channel is joined, and the seconds since the start of the last successful comparison. */
  state(): { connected: boolean; compared: number };
  stop(): void;
};

/** Interval of the comparisons: the maximum age of a page after a lost message. In milliseconds. */
const COMPARE_MS = 30_000;
/** Pause after a failed comparison, doubled with each failure up to `COMPARE_MS`. In milliseconds. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Keeps the cache in step with the database. Each message purges the tags that it names. Because messages can be lost,
 * all sequences are compared at the start, at each join of the channel, and at an interval.
 * @param every milliseconds between two comparisons
 */
export function startInvalidation(
  cache: InvalidatedCache,
  source: InvalidationSource,
  every = COMPARE_MS,
): Invalidation {
  const known = createKnownSequences(cache);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let nextComparison: Promise<void> | undefined;
  /** Failed comparisons in a row. */
  let failures = 0;
  /** Number of joins, and its value when the last successful comparison began. */
  let joined = 0;
  let joinedBefore = 0;
  let stopped = false;
  let connected = false;
  let compared = performance.now();

  /**
   * One failed comparison means that the backend is busy. Two in a row, or one and a new join, can mean that the
   * backend was restarted with another database.
   */
  function checkForRestart(): void {
    if (!stopped && (failures > 1 || (failures === 1 && joined > joinedBefore))) known.markUncertain();
  }

  /**
   * A running comparison may be older than the message that the caller reacts to. All callers that come while one runs
   * share the next one.
   */
  async function requestComparison(): Promise<void> {
    if (stopped) return;
    if (!running) {
      running = compare();
      return running;
    }
    nextComparison ??= running.then(() => {
      nextComparison = undefined;
      return requestComparison();
    });
    return nextComparison;
  }

  async function compare(): Promise<void> {
    clearTimeout(timer);
    const [began, joinedSoFar] = [performance.now(), joined];
    let pause = every;
    known.comparisonStarted();
    try {
      const seqs = await source.readSeqs();
      if (stopped) return;
      if (!known.applySeqs(seqs)) pause = FIRST_PAUSE_MS;
      failures = 0;
      compared = began;
      joinedBefore = joinedSoFar;
    } catch (error) {
      if (stopped) return;
      if (failures === 0)
        log.warn(SERVER.comparisonFailed(error instanceof Error ? error.message : String(error)));
      pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, every);
      failures += 1;
      checkForRestart();
    } finally {
      running = undefined;
    }
    timer = setTimeout(requestComparison, Math.max(0, began + pause - performance.now()));
  }

  const unsubscribe = source.subscribe({
    joined() {
      connected = true;
      joined += 1;
      checkForRestart();
      // Messages from before the join are not repeated.
      void requestComparison();
    },
    lost() {
      connected = false;
    },
    message(payload) {
      const message = readMessage(payload);
      if (message) known.applyMessage(message);
      else requestComparison();
    },
  });
  requestComparison();

  return {
    requestComparison,
    state: () => ({ connected, compared: (performance.now() - compared) / 1000 }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      unsubscribe();
    },
  };
}

/** The website's connection to the backend for cache invalidation. */
type SiteChannel = InvalidationSource & {
  /** Reports to the database that this process is overloaded, which turns on surge mode for a while. */
  reportOverload(): Promise<unknown>;
};

export function openSiteChannel({ url, secretKey }: { url: string; secretKey: string }): SiteChannel {
  const client = serviceRealtimeClient(url, secretKey);
  return {
    readSeqs: async () => readSeqs(await dataOf(client.rpc('site_seqs'))),
    reportOverload: async () => dataOf(client.rpc('report_load')),

    subscribe: (listener) => subscribeToSite(client, 'change', listener),
  };
}
