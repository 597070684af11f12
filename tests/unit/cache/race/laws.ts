import { wait } from './clock.ts';
import type { Database, Event } from './database.ts';
import type { Profile } from './profile.ts';
import type { Page } from './site.ts';

/** Invariants of every response and every reader. */
export type Law =
  | 'a page knows all that the site knew, or ought to, before it was asked for'
  | 'changes are never answered from before what the site knew, or ought to'
  | 'changes are kept no longer than they say'
  | 'a text taken away is not served a second after the site knows'
  | 'no page is older than the time between two comparisons'
  | 'a coverage that is live is not missing'
  | 'a reader who believes to be current knows what was public before'
  | 'a reader who hears nothing of a change asks for it'
  | 'a reader who is told of a change has it soon, when nothing fails'
  | 'no reader misses a change';

export type Laws = ReturnType<typeof openLaws>;

/** Minimum time, and multiple of its duration, for which a stale copy serves after a failed rendering. */
const PAUSE_MS = 1_000;
const STANDS = 3;
const FORGOTTEN_MS = 1_000;
/** After this time of waiting, a request gets the stale copy. */
const PATIENCE_MS = 3_000;
const COMPARE_MS = 30_000;
/** Lifetime of `changes` and of pages for missing content. Slugs are checked sooner. */
const CHANGES_MS = 2_000;
const MISSING_MS = 5_000;

/** Follows what the site learns or should learn, and checks each response against it. */
export function openLaws(database: Database, { longest }: Profile) {
  const broken = new Map<Law, string>();
  /** Last moment by slug, and for everything, that the site knows or should know. */
  const told = new Map<string | null, number>();
  const takenAway = new Map<string, number>();
  /** Time by key until which a stale copy may serve. */
  const failing = new Map<string, number>();
  let notComparedAt = Number.NEGATIVE_INFINITY;
  /** Extra time for a comparison or rendering. */
  const slack = 10 * longest + 50;

  function break_(law: Law, how: string) {
    if (!broken.has(law)) broken.set(law, `${new Date().toISOString().slice(14, 23)} ${how}`);
  }

  function compared(moment: number) {
    for (const event of database.events.slice(0, moment + 1)) tell(event);
  }

  function tell({ moment, slug, removed }: Event) {
    told.set(slug, Math.max(told.get(slug) ?? 0, moment));
    if (removed && !takenAway.has(removed)) takenAway.set(removed, Date.now());
  }

  const toldOf = (slug: string | null) =>
    slug === null ? Math.max(0, ...told.values()) : Math.max(told.get(null) ?? 0, told.get(slug) ?? 0);

  return {
    broken,
    slack,
    break: break_,

    /** A received change implies that earlier ones are known or that a message was lost. */
    heard(moment: number) {
      const slug = database.events[moment]?.slug;
      for (const event of database.events.slice(0, moment + 1)) if (event.slug === slug) tell(event);
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
      const until = Date.now() + Math.max(PAUSE_MS, took * STANDS);
      failing.set(key, Math.max(until, failing.get(key) ?? 0));
    },

    /** Starts a request. The returned function checks its response. */
    asked(key: string): (page: Page) => void {
      const began = Date.now();
      const slugAsked = key.split(/[/?]/)[2] ?? null;
      const known = toldOf(slugAsked);
      const knownOfSlug = told.get(slugAsked);
      const wasPublic = slugAsked === null || database.read(slugAsked) !== null;

      return (page) => {
        const now = Date.now();
        const mayStandIn = (failing.get(key) ?? Number.NEGATIVE_INFINITY) >= began;
        const age = now - database.outdatedAt(page.moment, page.slug);
        const says = `${key} of moment ${page.moment}, asked at ${known}, old ${age} ms`;

        if (page.kind === 'missing') {
          if (!wasPublic || database.read(slugAsked ?? '') === null) return;
          const since = Math.max(database.unknownSince(page.slug ?? '', 0), notComparedAt);
          const isLate = began - since > MISSING_MS + slack;
          if (knownOfSlug !== undefined || isLate) break_('a coverage that is live is not missing', says);
          return;
        }
        if (page.moment < known) {
          if (page.kind === 'changes')
            break_('changes are never answered from before what the site knew, or ought to', says);
          else if (!mayStandIn && now - began < PATIENCE_MS)
            break_('a page knows all that the site knew, or ought to, before it was asked for', says);
        }
        for (const { id, withdrawn } of page.texts) {
          const since = now - (takenAway.get(id) ?? Number.POSITIVE_INFINITY);
          if (!withdrawn && since > FORGOTTEN_MS)
            break_(
              'a text taken away is not served a second after the site knows',
              `${says}: ${id} ${since} ms`,
            );
        }
        if (page.kind === 'changes' && age > CHANGES_MS + slack)
          break_('changes are kept no longer than they say', says);
        const unmended = Math.min(age, now - notComparedAt);
        if (!mayStandIn && unmended > COMPARE_MS + slack)
          break_('no page is older than the time between two comparisons', says);
      };
    },
  };
}
