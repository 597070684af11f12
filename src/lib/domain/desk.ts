import type { Body } from './body/blocks.ts';
import type { Enums, Tables } from './database.types.ts';
import type { DeskUpdate } from './updates.ts';

export type CoverageState = Enums<'coverage_state'>;

/** A coverage with the fields that its desk needs. */
export type DeskCoverage = Pick<
  Tables<'coverages'>,
  | 'id'
  | 'slug'
  | 'kicker'
  | 'headline'
  | 'state'
  | 'time_zone'
  | 'language'
  | 'starts_at'
  | 'pinned_update'
  | 'update_count'
  | 'version'
  | 'summary_at'
  | 'reader_follow_mode'
  | 'check_interval_seconds'
> & {
  summary: Body;
  /** Publication time of the newest published update that is marked as urgent. */
  urgent_at: string | null;
  /** Time since which the coverage has had no publication; null until its desk was reminded of it. */
  quiet_since: string | null;
};

/**
 * Returns the publication time of an urgent update that is newer than the summary of a running coverage, or null.
 * @param updates updates of the coverage, which may be newer than `urgent_at`
 */
export function urgentAfterSummary(
  { state, summary, summary_at, urgent_at }: DeskCoverage,
  updates: Pick<DeskUpdate, 'state' | 'urgency' | 'published_at'>[],
): string | null {
  if ((state !== 'live' && state !== 'paused') || summary.length === 0 || !summary_at) return null;
  const times = updates
    .filter((update) => update.state === 'published' && update.urgency === 'urgent')
    .map(({ published_at }) => published_at);
  const newest = [urgent_at, ...times]
    .flatMap((at) => (at ? [{ at, time: Date.parse(at) }] : []))
    .sort((a, b) => b.time - a.time)[0];
  return newest && newest.time > Date.parse(summary_at) ? newest.at : null;
}

const TRANSITIONS: Record<CoverageState, CoverageState[]> = {
  draft: ['live'],
  scheduled: ['live'],
  live: ['paused', 'ended'],
  paused: ['live', 'ended'],
  ended: ['live', 'archived'],
  archived: [],
  withdrawn: [],
};

/** Returns the states that a coverage may change to. A draft with a start time may be scheduled. */
export function nextStates({ state, starts_at }: Pick<DeskCoverage, 'state' | 'starts_at'>): CoverageState[] {
  const announce: CoverageState[] = state === 'draft' && starts_at ? ['scheduled'] : [];
  const withdraw: CoverageState[] = isPublicState(state) ? ['withdrawn'] : [];
  return [...announce, ...TRANSITIONS[state], ...withdraw];
}

/** Returns the message key that describes a state change to readers. */
export function transitionMessageKey(from: CoverageState, to: CoverageState) {
  if (to === 'live' && from === 'paused') return 'resumed';
  if (to === 'live' && from === 'ended') return 'reopened';
  // No state change leads back to a draft.
  return to === 'draft' ? 'scheduled' : to;
}

export function isPublicState(state: CoverageState): boolean {
  return state !== 'draft' && state !== 'withdrawn';
}

/** Whether the coverage no longer accepts any writing. */
export function isClosed(state: CoverageState): boolean {
  return state === 'archived' || state === 'withdrawn';
}

/** Whether updates can be published in this state. */
export function acceptsUpdates(state: CoverageState): boolean {
  return state === 'live' || state === 'paused' || state === 'ended';
}

/** Presence of one open desk page on the desk's channel. */
export type Presence = {
  /** Id of the person, which is the key of the presence. Names come from the roster. */
  person: string;
  /** Id of the update that the person edits, `new` for a new update, or null. */
  editing: string | null;
};

/** Fields of a person that the roster of a desk provides. */
export type RosterRow = { id: string; display_name: string };

/** Another person at the desk, with the updates that all their pages edit. */
export type Colleague = { id: string; name: string; editing: string[] };

/**
 * Reads the presences from a channel's state. The person is taken from the key only, which the embedded backend sets
 * to the id in the access token: clients may send any other content.
 */
export function presencesIn(state: Record<string, unknown[]>): Presence[] {
  return Object.entries(state).flatMap(([person, metas]) =>
    metas.map((meta) => ({ person, editing: editingIn(meta) })),
  );
}

function editingIn(meta: unknown): string | null {
  const { editing } = (meta ?? {}) as Record<string, unknown>;
  return typeof editing === 'string' ? editing : null;
}

/** Returns the other people who are present and in the roster, each once. People who are editing come first. */
export function colleaguesOf(presences: Presence[], roster: RosterRow[], me: string): Colleague[] {
  return roster
    .filter(({ id }) => id !== me)
    .map(({ id, display_name: name }) => ({ id, name, theirs: presences.filter((p) => p.person === id) }))
    .filter(({ theirs }) => theirs.length > 0)
    .map(({ theirs, ...person }) => ({ ...person, editing: theirs.flatMap((p) => p.editing ?? []) }))
    .sort(
      (a, b) => Number(b.editing.length > 0) - Number(a.editing.length > 0) || a.name.localeCompare(b.name),
    );
}

/** Returns the names of the people who edit an update. */
export function editorsOf(colleagues: Colleague[], update: string): string[] {
  return colleagues.filter(({ editing }) => editing.includes(update)).map(({ name }) => name);
}
