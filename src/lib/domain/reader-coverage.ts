import type { Body } from './body/blocks.ts';
import type { Enums } from './database.types.ts';
import type { Clock } from './time.ts';

/** States in which readers see a coverage. */
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
  /** How its readers follow, and the seconds between their checks; null is the site's own. */
  reader_follow: ReaderFollow | null;
  reader_interval: number | null;
  seq: number;
  update_count: number;
  version: number;
  topics: TopicName[];
};

/** Nothing more is expected, so there is nothing to follow. */
export function isOver(state: PublicState): boolean {
  return state === 'ended' || state === 'archived';
}

export type TopicName = { slug: string; name: string };

/** How a coverage's times are told. */
export function clockOf({ time_zone, language }: Pick<ReaderCoverage, 'time_zone' | 'language'>): Clock {
  return { timeZone: time_zone, language };
}

/** By socket, by checks, or by socket while there are not too many who do. */
export type ReaderFollow = Enums<'reader_follow'>;

export type SurgeMode = Enums<'surge_mode'>;
