import type { Body } from './body/blocks.ts';
import type { Enums } from './database.types.ts';
import type { ReaderPhoto } from './photos.ts';
import type { Clock } from './time.ts';

/** States in which readers can see a coverage. */
export type PublicState = Exclude<Enums<'coverage_state'>, 'draft' | 'withdrawn'>;

/** A coverage as readers see it, without its updates. */
export type ReaderCoverage = {
  id: string;
  slug: string;
  kicker: string;
  headline: string;
  standfirst: string;
  summary: Body;
  summary_at: string | null;
  state: PublicState;
  time_zone: string;
  language: string;
  starts_at: string | null;
  ended_at: string | null;
  published_at: string | null;
  revised_at: string | null;
  pinned_update: string | null;
  /** Follow mode and interval between checks in seconds; null means the setting of the site. */
  reader_follow_mode: ReaderFollow | null;
  check_interval_seconds: number | null;
  seq: number;
  update_count: number;
  version: number;
  topics: TopicName[];
  /** Address on another site where search engines shall find the coverage; null for its live page. */
  canonical_url: string | null;
  /** The lead photo that an editor chose, if readers can see it. */
  lead: ReaderPhoto | null;
};

/** Whether the coverage has ended, so that open pages do not follow it. */
export function hasEnded(state: PublicState): boolean {
  return state === 'ended' || state === 'archived';
}

/** States of a coverage as other programs see them. */
type PublicStatus = 'scheduled' | 'live' | 'ended';

/** Returns the status of a coverage for other programs. A paused one is live, an archived one has ended. */
export function publicStatus(state: PublicState): PublicStatus {
  if (hasEnded(state)) return 'ended';
  return state === 'scheduled' ? 'scheduled' : 'live';
}

type TopicName = { slug: string; name: string };

/** Returns the time zone and language in which a coverage's times are shown. */
export function clockOf({ time_zone, language }: Pick<ReaderCoverage, 'time_zone' | 'language'>): Clock {
  return { timeZone: time_zone, language };
}

/**
 * Returns the day whose times are shown without their date: the last day of a coverage that has ended, else today.
 * @param exported the moment of an exported page
 */
export const defaultDay = (
  { ended_at }: Pick<ReaderCoverage, 'ended_at'>,
  exported: { at: Date } | undefined,
): Date | string => ended_at ?? exported?.at ?? new Date();

/** By socket, by checks, or by socket until too many readers are connected. */
export type ReaderFollow = Enums<'reader_follow_mode'>;

/** How open pages follow a coverage now. `full`: pages with a socket keep it, others do not open one. */
export type FollowMethod = 'sockets' | 'checks' | 'full';

export type SurgeMode = Enums<'surge_mode'>;
