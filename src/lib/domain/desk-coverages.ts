import type { Body } from './body/blocks.ts';
import type { Enums, Tables } from './database.types.ts';

export type CoverageState = Enums<'coverage_state'>;

/** A coverage as its desk needs it. */
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
  | 'reader_follow'
  | 'reader_interval'
> & {
  summary: Body;
  /** Since when nothing has happened in it, once its desk was reminded of that. */
  quiet_since: string | null;
};

const NEXT: Record<CoverageState, CoverageState[]> = {
  draft: ['live'],
  scheduled: ['live'],
  live: ['paused', 'ended'],
  paused: ['live', 'ended'],
  ended: ['live', 'archived'],
  archived: [],
  withdrawn: [],
};

/** The states that a coverage may go to from where it is. One that says when it starts may be announced. */
export function nextStates({ state, starts_at }: Pick<DeskCoverage, 'state' | 'starts_at'>): CoverageState[] {
  const announce: CoverageState[] = state === 'draft' && starts_at ? ['scheduled'] : [];
  const withdraw: CoverageState[] = isPublic(state) ? ['withdrawn'] : [];
  return [...announce, ...NEXT[state], ...withdraw];
}

/** What a step means for readers, by its name among the words. */
export function meaningOf(from: CoverageState, to: CoverageState) {
  if (to === 'live' && from === 'paused') return 'resumed';
  if (to === 'live' && from === 'ended') return 'reopened';
  // No step leads back to a draft.
  return to === 'draft' ? 'scheduled' : to;
}

export function isPublic(state: CoverageState): boolean {
  return state !== 'draft' && state !== 'withdrawn';
}

/** The states in which nothing is written any more. */
export function isOver(state: CoverageState): boolean {
  return state === 'archived' || state === 'withdrawn';
}

/** The states in which updates are published. */
export function takesUpdates(state: CoverageState): boolean {
  return state === 'live' || state === 'paused' || state === 'ended';
}
