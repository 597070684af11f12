import { atom, computed, type ReadableAtom } from 'nanostores';
import { type Colleague, colleaguesOf, type Presence, type RosterRow } from '../../lib/domain/presence.ts';
import { desk as messages } from '../../lib/i18n/desk.ts';
import type { Panel } from './context.ts';

export type DeskPresence = {
  /** Who else is here; null while that is not known. */
  $others: ReadableAtom<Colleague[] | null>;
  /** Who has come, as a sentence for those who listen. */
  $arrived: ReadableAtom<string>;
};

type PresenceStore = DeskPresence & {
  /** To be told who is here, whenever that has changed. */
  heard(presences: Presence[]): void;
  /** Reads the names again, where none are known or they are old. */
  look(): void;
  /** To be told that it is not known any more. */
  lost(): void;
};

/** Somebody who comes back within this time has not arrived: pages are loaded again, lines are lost. */
const AWAY_MS = 5 * 60_000;

/** Names that are older are read again with the next look: somebody may be called otherwise by now. */
const OLD_MS = 20_000;

/**
 * Who is at a desk: ids come from its channel, names from its roster, which is read when an id is not in it, and with
 * the desk's own looks.
 */
export function makePresence(me: string, readRoster: () => Promise<RosterRow[]>): PresenceStore {
  const $others = atom<Colleague[] | null>(null);
  const $arrived = atom('');
  const seen = new Map<string, number>();
  let presences: Presence[] = [];
  let isKnown = false;
  let roster: RosterRow[] | null = null;
  let readAt = 0;
  /** How often the roster was asked for. Only the newest answer counts. */
  let count = 0;
  /** Ids that the roster was read for: who is not in it is not asked for again while the line lasts. */
  let asked = new Set<string>();

  function show(): void {
    if (!isKnown || !roster) return;
    const before = $others.get();
    const now = colleaguesOf(presences, roster, me);
    if (before) announce(now);
    for (const { id } of [...(before ?? []), ...now]) seen.set(id, Date.now());
    if (JSON.stringify(now) !== JSON.stringify(before)) $others.set(now);
  }

  function announce(now: Colleague[]): void {
    const arrived = now.filter(({ id }) => Date.now() - (seen.get(id) ?? -Infinity) > AWAY_MS);
    if (arrived.length > 0) $arrived.set(messages.presence.arrived(arrived.map(({ name }) => name)));
  }

  async function learn(ids: string[]): Promise<void> {
    asked = new Set([...asked, ...ids]);
    const mine = ++count;
    try {
      const rows = await readRoster();
      if (mine !== count) return;
      roster = rows;
      readAt = Date.now();
      show();
    } catch {
      // The desk's own look says what is the matter. With it, or with whoever is heard of next, it is asked for again.
      asked = new Set();
    }
  }

  return {
    $others,
    $arrived,
    heard(now) {
      presences = now;
      isKnown = true;
      show();
      const ids = new Set(roster?.map(({ id }) => id));
      const unknown = now.map(({ person }) => person).filter((id) => !ids.has(id) && !asked.has(id));
      if (unknown.length > 0) void learn(unknown);
    },
    look() {
      if (isKnown && (!roster || Date.now() - readAt > OLD_MS)) void learn([]);
    },
    lost() {
      count++;
      isKnown = false;
      roster = null;
      asked = new Set();
      $others.set(null);
    },
  };
}

export type Editing = {
  /** The update that this person is seen to be changing, `new` for one that is being written, or nothing. */
  $editing: ReadableAtom<string | null>;
  /** To be told of words that come into an editor. @param what the update's id or `new`; null when they are gone */
  wrote(what: string | null): void;
  /** Notices when nobody looks at the page. Returns what ends it. */
  watch(): () => void;
};

/** Somebody who has stopped typing, or looks at another page, is soon not seen as editing any more. */
const IDLE_MS = 60_000;

/** What is open in a row counts for as long as it is open, what is typed until the words stop coming. */
export function makeEditing($open: ReadableAtom<Panel | null>): Editing {
  const $typing = atom<string | null>(null);
  const $isAway = atom(false);
  let idle: ReturnType<typeof setTimeout> | undefined;
  return {
    $editing: computed([$open, $typing, $isAway], (open, typing, isAway) => {
      if (isAway) return null;
      return open?.panel === 'edit' ? open.id : typing;
    }),
    wrote(what) {
      clearTimeout(idle);
      $typing.set(what);
      if (what) idle = setTimeout(() => $typing.set(null), IDLE_MS);
    },
    watch() {
      let leaving: ReturnType<typeof setTimeout> | undefined;
      const onVisibility = () => {
        clearTimeout(leaving);
        if (document.visibilityState === 'visible') $isAway.set(false);
        else leaving = setTimeout(() => $isAway.set(true), IDLE_MS);
      };
      document.addEventListener('visibilitychange', onVisibility);
      return () => {
        clearTimeout(leaving);
        document.removeEventListener('visibilitychange', onVisibility);
      };
    },
  };
}
