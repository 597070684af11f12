import { wait } from './clock.ts';
import type { Database, Event } from './database.ts';
import type { Profile } from './profile.ts';
import type { Page } from './site.ts';

/** Invariants of every response and every reader. */
export type Invariant =
  | 'a page contains everything that the site knew, or should have known, half a second before it was requested'
  | 'changes are never older than what the site knew, or should have known'
  | 'changes are not stored longer than their lifetime'
  | 'a withdrawn text is not served one second after the site knows'
  | 'no page is older than the time between two comparisons'
  | 'a live coverage is not missing'
  | 'a reader whose page says that it is current knows every earlier change'
  | 'a reader without messages polls for changes'
  | 'a reader who received a message has its change soon when nothing fails'
  | 'no reader misses a change';

export type Invariants = ReturnType<typeof openInvariants>;

/** Minimum time, and multiple of its duration, for which a stale copy serves after a failed rendering. */
const PAUSE_MS = 1_000;
const PAUSE_FACTOR = 3;
const FORGOTTEN_MS = 1_000;
/** How long a page may be served after its invalidation. */
const PREVIOUS_COPY_MS = 500;
/** After this time of waiting, a request gets the stale copy. */
const STALE_AFTER_MS = 3_000;
const COMPARE_MS = 30_000;
/** Lifetime of `changes` and of pages for missing content. Slugs are checked sooner. */
const CHANGES_MS = 2_000;
const MISSING_MS = 5_000;

/** The page of a coverage's list that a key names. */
export function listOf(key: string): number | undefined {
  const list = new URL(key, 'http://site').searchParams.get('list');
  return list === null ? undefined : Number(list);
}

/** Follows what the site learns or should learn, and checks each response against it. */
export function openInvariants(database: Database, { longest }: Profile) {
  const violations = new Map<Invariant, string>();
  /**
   * The moments that the site knows or should know, and since when: by slug, by slug and page of its list, and for
   * everything. Both increase.
   */
  const knownMoments = new Map<string | null, { moment: number; since: number }[]>();
  const removedAt = new Map<string, number>();
  /** Time by key until which a stale copy may serve. */
  const failing = new Map<string, number>();
  let notComparedAt = Number.NEGATIVE_INFINITY;
  /** Extra time for a comparison or rendering. */
  const slack = 10 * longest + 50;

  function violate(invariant: Invariant, how: string) {
    if (!violations.has(invariant))
      violations.set(invariant, `${new Date().toISOString().slice(14, 23)} ${how}`);
  }

  function compared(moment: number) {
    for (const event of database.events.slice(0, moment + 1)) record(event);
  }

  function record({ moment, slug, removed, lists }: Event) {
    const places = slug === null ? [] : (lists ?? ['all']).map((list) => `${slug}:${list}`);
    for (const place of [slug, ...places]) {
      const known = knownMoments.get(place) ?? [];
      if (moment > (known.at(-1)?.moment ?? 0))
        knownMoments.set(place, [...known, { moment, since: Date.now() }]);
    }
    if (removed && !removedAt.has(removed)) removedAt.set(removed, Date.now());
  }

  /** Returns the last moment that a page must contain if it must contain everything that was known at a time. */
  const knownMomentOf = (time: number, slug: string | null, list?: number) => {
    const places = list === undefined ? [slug] : [`${slug}:all`, `${slug}:${list}`];
    const all = slug === null ? [...knownMoments.keys()] : [null, ...places];
    const momentOf = (place: string | null) =>
      knownMoments.get(place)?.findLast(({ since }) => since <= time)?.moment ?? 0;
    return Math.max(0, ...all.map(momentOf));
  };

  return {
    violations,
    slack,
    violate,

    /** A received change implies that earlier ones are known or that a message was lost. */
    received(moment: number) {
      const slug = database.events[moment]?.slug;
      for (const event of database.events.slice(0, moment + 1)) if (event.slug === slug) record(event);
    },
    compared,
    /** With a joined channel, earlier changes are known soon, if the database answers. */
    async joined() {
      const [moment, at] = [database.now(), Date.now()];
      // A running comparison may know less. The next one counts.
      await wait(4 * longest + 50);
      if (notComparedAt < at) compared(moment);
    },
    notCompared() {
      notComparedAt = Date.now();
    },
    failed(key: string, took: number) {
      const until = Date.now() + Math.max(PAUSE_MS, took * PAUSE_FACTOR);
      failing.set(key, Math.max(until, failing.get(key) ?? 0));
    },

    /** Starts a request. The returned function checks its response. */
    requested(key: string): (page: Page) => void {
      const began = Date.now();
      const requestedSlug = key.split(/[/?]/)[2] ?? null;
      const list = listOf(key);
      const known = knownMomentOf(began, requestedSlug, list);
      const knownBefore = knownMomentOf(began - PREVIOUS_COPY_MS, requestedSlug, list);
      const knownOfSlug = knownMoments.get(requestedSlug);
      const wasPublic = requestedSlug === null || database.read(requestedSlug) !== null;

      return (page) => {
        const now = Date.now();
        const isFailing = (failing.get(key) ?? Number.NEGATIVE_INFINITY) >= began;
        const mayStandIn = isFailing || now - began >= STALE_AFTER_MS;
        const age = now - database.outdatedAt(page.moment, page.slug, list);
        const says = `${key} of moment ${page.moment}, requested at ${known}, old ${age} ms`;

        if (page.kind === 'missing') {
          if (!wasPublic || database.read(requestedSlug ?? '') === null) return;
          const since = Math.max(database.unknownSince(page.slug ?? '', 0), notComparedAt);
          const isLate = began - since > MISSING_MS + slack;
          if (knownOfSlug !== undefined || isLate) violate('a live coverage is not missing', says);
          return;
        }
        if (page.kind === 'changes' && page.moment < known)
          violate('changes are never older than what the site knew, or should have known', says);
        if (page.moment < knownBefore && !mayStandIn)
          violate(
            'a page contains everything that the site knew, or should have known, half a second before it was requested',
            says,
          );
        for (const { id, withdrawn } of page.texts) {
          const since = now - (removedAt.get(id) ?? Number.POSITIVE_INFINITY);
          if (!withdrawn && since > FORGOTTEN_MS)
            violate(
              'a withdrawn text is not served one second after the site knows',
              `${says}: ${id} ${since} ms`,
            );
        }
        if (page.kind === 'changes' && age > CHANGES_MS + slack)
          violate('changes are not stored longer than their lifetime', says);
        const uncorrected = Math.min(age, now - notComparedAt);
        if (!mayStandIn && uncorrected > COMPARE_MS + slack)
          violate('no page is older than the time between two comparisons', says);
      };
    },
  };
}
