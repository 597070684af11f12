import { atom, computed, type ReadableAtom } from 'nanostores';
import { type Colleague, colleaguesOf, type Presence, type RosterRow } from '../../lib/domain/desk.ts';
import type { OpenPanel } from './context.ts';
import type { DeskMessages } from './messages.tsx';

export type DeskPresence = {
  /** Other people at the desk; null while unknown. */
  $others: ReadableAtom<Colleague[] | null>;
  /** Announcement of arrivals for screen readers. */
  $arrived: ReadableAtom<string>;
};

type PresenceStore = DeskPresence & {
  /** Sets the current presences. */
  update(presences: Presence[]): void;
  /** Reads the names again when they are missing or old. */
  refresh(): void;
  /** Presence is unknown from now on. */
  reset(): void;
};

/** A person who returns within this time is not announced, because pages reload and connections drop. */
const ARRIVAL_GAP_MS = 5 * 60_000;

/** Age from which names are read again. */
const NAMES_MAX_AGE_MS = 20_000;

/**
 * People at a desk: ids from its channel, names from its roster. The roster is read for unknown ids and with each
 * refetch.
 */
export function makePresence(
  messages: DeskMessages,
  me: string,
  readRoster: () => Promise<RosterRow[]>,
): PresenceStore {
  const $others = atom<Colleague[] | null>(null);
  const $arrived = atom('');
  const lastSeen = new Map<string, number>();
  let presences: Presence[] = [];
  let isKnown = false;
  let roster: RosterRow[] | null = null;
  let readAt = 0;
  /** Number of roster requests. Only the newest response counts. */
  let requestNumber = 0;
  /** Ids that the roster was read for. Unknown ones are not requested again during this connection. */
  let requestedIds = new Set<string>();

  function show(): void {
    if (!isKnown || !roster) return;
    const before = $others.get();
    const now = colleaguesOf(presences, roster, me);
    if (before) announce(now);
    for (const { id } of [...(before ?? []), ...now]) lastSeen.set(id, Date.now());
    if (JSON.stringify(now) !== JSON.stringify(before)) $others.set(now);
  }

  function announce(now: Colleague[]): void {
    const arrived = now.filter(({ id }) => Date.now() - (lastSeen.get(id) ?? -Infinity) > ARRIVAL_GAP_MS);
    if (arrived.length > 0) $arrived.set(messages.desk.presence.arrived(arrived.map(({ name }) => name)));
  }

  async function readNames(ids: string[]): Promise<void> {
    requestedIds = new Set([...requestedIds, ...ids]);
    const ownNumber = ++requestNumber;
    try {
      const rows = await readRoster();
      if (ownNumber !== requestNumber) return;
      roster = rows;
      readAt = Date.now();
      show();
    } catch {
      // The desk's own fetch reports the problem. The roster is read again with it or with the next unknown id.
      requestedIds = new Set();
    }
  }

  return {
    $others,
    $arrived,
    update(now) {
      presences = now;
      isKnown = true;
      show();
      const ids = new Set(roster?.map(({ id }) => id));
      const unknown = now.map(({ person }) => person).filter((id) => !ids.has(id) && !requestedIds.has(id));
      if (unknown.length > 0) void readNames(unknown);
    },
    refresh() {
      if (isKnown && (!roster || Date.now() - readAt > NAMES_MAX_AGE_MS)) void readNames([]);
    },
    reset() {
      requestNumber++;
      isKnown = false;
      roster = null;
      requestedIds = new Set();
      $others.set(null);
    },
  };
}

export type Editing = {
  /** Id of the update that this person is editing, `new`, or null. */
  $editing: ReadableAtom<string | null>;
  /**
   * Reports typing.
   * @param id the update's id or `new`; null for an empty form
   */
  reportEditing(id: string | null): void;
  /** Watches the page's visibility. Returns a function that stops it. */
  watch(): () => void;
};

/** A person who stops typing or hides the page no longer counts as editing after this time. */
const IDLE_MS = 60_000;

/** Tracks what this person edits: an open editor, or typing within the idle time. */
export function makeEditing($open: ReadableAtom<OpenPanel | null>): Editing {
  const $typing = atom<string | null>(null);
  const $isAway = atom(false);
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  return {
    $editing: computed([$open, $typing, $isAway], (open, typing, isAway) => {
      if (isAway) return null;
      return open?.panel === 'edit' ? open.id : typing;
    }),
    reportEditing(id) {
      clearTimeout(idleTimer);
      $typing.set(id);
      if (id) idleTimer = setTimeout(() => $typing.set(null), IDLE_MS);
    },
    watch() {
      let awayTimer: ReturnType<typeof setTimeout> | undefined;
      const onVisibility = () => {
        clearTimeout(awayTimer);
        if (document.visibilityState === 'visible') $isAway.set(false);
        else awayTimer = setTimeout(() => $isAway.set(true), IDLE_MS);
      };
      document.addEventListener('visibilitychange', onVisibility);
      return () => {
        clearTimeout(awayTimer);
        document.removeEventListener('visibilitychange', onVisibility);
      };
    },
  };
}
