import { backendSettings } from '../data/backend-settings.ts';
import { type FollowAttributes, resolveFollow } from '../data/reader-follow.ts';
import { isSurging, type Site } from '../data/site.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderCoverage } from '../domain/reader-coverage.ts';

const OPEN_SOCKETS = Symbol.for('stoppress.open-sockets');

type SocketHost = typeof globalThis & { [OPEN_SOCKETS]?: { count: number } };

const here: SocketHost = globalThis;
here[OPEN_SOCKETS] ??= { count: 0 };

/**
 * Number of reader sockets that this process proxies. The server counts them and the pages read them. The pages'
 * bundle has its own copy of this module, so the counter is stored globally.
 */
export const openSockets = here[OPEN_SOCKETS];

/**
 * Returns the follow settings of a coverage as attributes of its pages and changes responses, so that open pages
 * notice a change.
 */
export function followAttributes(coverage: ReaderCoverage, site: Site): FollowAttributes {
  const interval = coverage.check_interval_seconds ?? site.check_interval_seconds;
  const most = Number(process.env.STOPPRESS_READER_SOCKETS ?? 0);
  const follow = resolveFollow(coverage.reader_follow_mode ?? site.reader_follow_mode, {
    limit: most,
    open: openSockets.count,
  });
  if (isSurging(site)) {
    const rare = LIMITS.surge_interval_seconds;
    // Pages that lost their socket check once a minute, whatever the interval, so that they return quickly.
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
