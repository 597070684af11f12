import type { Database } from './database.ts';
import type { Profile } from './profile.ts';
import type { Page } from './site.ts';

/** What must hold of every answer and every reader, whatever goes wrong. */
export type Law =
  | 'a page knows all that the site was told of before it was asked for'
  | 'changes are never answered from before what the site was told of'
  | 'a text taken away is not served a second after the site knows'
  | 'no page is older than the time between two comparisons'
  | 'a coverage that is live is not missing'
  | 'a reader who believes to be current knows what was public before'
  | 'a reader who hears nothing of a change asks for it'
  | 'a reader who is told of a change has it soon, when nothing fails'
  | 'no reader misses a change';

export type Laws = ReturnType<typeof openLaws>;

/** How long a copy may stand in once a failed rendering is over: that long it is not tried again. */
const PAUSE_MS = 1_000;
const FORGOTTEN_MS = 1_000;
const COMPARE_MS = 30_000;
/** A slug that is not known is asked about again after so long. */
const ASK_AGAIN_MS = 2_000;

/** Watches what the site was told, and holds each answer against it. */
export function openLaws(database: Database, { longest }: Profile) {
  const broken = new Map<Law, string>();
  /** By slug, and of everything: the last moment that the site was told of. */
  const told = new Map<string | null, number>();
  const takenAway = new Map<string, number>();
  const failedAt = new Map<string, number>();
  /** The moment at which a backup was put back: what was before is not any more. */
  let beginning = 0;
  let notComparedAt = Number.NEGATIVE_INFINITY;
  /** What a comparison or a rendering may take beside what it waits for. */
  const slack = 10 * longest + 50;

  function break_(law: Law, how: string) {
    if (!broken.has(law)) broken.set(law, `${new Date().toISOString().slice(14, 23)} ${how}`);
  }

  function tell(moment: number) {
    const { slug, removed } = database.events[moment] ?? { slug: null, removed: null };
    told.set(slug, Math.max(told.get(slug) ?? 0, moment));
    if (removed && !takenAway.has(removed)) takenAway.set(removed, Date.now());
  }

  const toldOf = (slug: string | null) =>
    slug === null ? Math.max(0, ...told.values()) : Math.max(told.get(null) ?? 0, told.get(slug) ?? 0);

  return {
    broken,
    slack,
    break: break_,

    heard: tell,
    compared(moment: number) {
      for (const event of database.events.slice(beginning, moment + 1)) tell(event.moment);
    },
    notCompared() {
      notComparedAt = Date.now();
    },
    failed(key: string) {
      failedAt.set(key, Date.now());
    },
    /** A backup was put back: what was told is of another database. */
    restored() {
      beginning = database.now();
      told.clear();
      takenAway.clear();
    },

    /** Somebody asks; what they get is to be judged when they get it. */
    asked(key: string): (page: Page) => void {
      const began = Date.now();
      const slugAsked = key.split(/[/?]/)[2] ?? null;
      const known = toldOf(slugAsked);
      const knownOfSlug = told.get(slugAsked);
      const wasPublic = slugAsked === null || database.read(slugAsked) !== null;

      return (page) => {
        const now = Date.now();
        const mayStandIn = (failedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= began - PAUSE_MS;
        const comparesWell = notComparedAt < now - 3 * COMPARE_MS;
        const age = now - database.outdatedAt(page.moment, page.slug);
        const says = `${key} of moment ${page.moment}, asked at ${known}, old ${age} ms`;

        if (page.kind === 'missing') {
          if (!wasPublic || database.read(slugAsked ?? '') === null) return;
          const isLate =
            comparesWell && began - database.unknownSince(page.slug ?? '', 0) > ASK_AGAIN_MS + slack;
          if (knownOfSlug !== undefined || isLate) break_('a coverage that is live is not missing', says);
          return;
        }
        if (page.moment < known) {
          if (page.kind === 'changes')
            break_('changes are never answered from before what the site was told of', says);
          else if (!mayStandIn)
            break_('a page knows all that the site was told of before it was asked for', says);
        }
        for (const { id, withdrawn } of page.texts) {
          const since = now - (takenAway.get(id) ?? Number.POSITIVE_INFINITY);
          if (!withdrawn && since > FORGOTTEN_MS)
            break_(
              'a text taken away is not served a second after the site knows',
              `${says}: ${id} ${since} ms`,
            );
        }
        if (comparesWell && !mayStandIn && age > COMPARE_MS + slack)
          break_('no page is older than the time between two comparisons', says);
      };
    },
  };
}
