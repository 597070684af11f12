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

/** Path of the page with everything that can be followed. */
export const FOLLOW_PATH = '/follow';

/** Path of the page with the alert settings of a target. */
export const followPath = ({ kind, slug }: FollowTarget): string =>
  `${FOLLOW_PATH}/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** Path of the page of a coverage or topic. */
export const targetPath = ({ kind, slug }: FollowTarget): string =>
  `/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

export const isFollowScope = (value: unknown): value is FollowScope => value === 'all' || value === 'key';

/** A Web Push subscription, as a browser's `PushSubscription.toJSON()` returns it. */
export type PushSubscriptionContent = { endpoint: string; keys: { p256dh: string; auth: string } };

/** Reads a subscription; undefined when it is malformed. The database checks the values. */
export function parseSubscription(value: unknown): PushSubscriptionContent | undefined {
  if (!isObject(value) || !isObject(value.keys)) return undefined;
  const { endpoint } = value;
  const { p256dh, auth } = value.keys;
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string')
    return undefined;
  return { endpoint, keys: { p256dh, auth } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
