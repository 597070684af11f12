import { LIMITS } from '../limits.ts';
import { openSockets } from '../site/open-sockets.ts';
import type { Site } from '../site/read.ts';
import { isSurging } from '../site/surge.ts';
import { backendSettings } from '../supabase/settings.ts';
import type { ReaderCoverage } from './coverage.ts';
import { type FollowAttributes, resolveFollow } from './follow.ts';

/**
 * What an open page is told of how to follow its coverage: by the page itself and by every answer of `changes`, so
 * that it goes with the setting.
 */
export function followAttributes(coverage: ReaderCoverage, site: Site): FollowAttributes {
  const interval = coverage.reader_interval ?? site.reader_interval;
  const most = Number(process.env.STOPPRESS_READER_SOCKETS ?? 0);
  const follow = resolveFollow(coverage.reader_follow ?? site.reader_follow, {
    most,
    open: openSockets.count,
  });
  if (isSurging(site)) {
    const rare = LIMITS.surge_interval_seconds;
    // Who has left a socket asks no more seldom than that, whatever the interval: they are to be back in a minute.
    return {
      'data-follow': 'checks',
      'data-interval': follow === 'checks' ? Math.max(interval, rare) : rare,
    };
  }
  const attributes = { 'data-follow': follow, 'data-interval': interval };
  if (follow !== 'sockets') return attributes;
  const { publicUrl, publishableKey } = backendSettings();
  return { ...attributes, 'data-backend': publicUrl, 'data-key': publishableKey };
}
