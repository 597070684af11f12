import type { Enums } from './database.types.ts';

/** All updates or key events only. */
export type FollowScope = 'all' | 'key';

/** A coverage or topic that can be followed. */
export type FollowTarget = { kind: 'coverage' | 'topic'; slug: string };

/** A follow of a device or an address without an account. */
export type FollowWithoutAccount = FollowTarget & {
  /** Headline of the coverage or name of the topic. */
  name: string;
  /** State of the coverage; null for a topic. */
  state: Enums<'coverage_state'> | null;
  scope: FollowScope;
};
