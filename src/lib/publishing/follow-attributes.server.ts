import { backendSettings } from '../data/backend-settings.ts';
import { type FollowAttributes, resolveFollow } from '../data/reader-follow.ts';
import { isSurging, type Site } from '../data/site.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderCoverage } from '../domain/reader-coverage.ts';

const NAME = Symbol.for('stoppress.open-sockets');

type Process = typeof globalThis & { [NAME]?: { count: number } };

const here: Process = globalThis;
here[NAME] ??= { count: 0 };

/**
 * How many sockets this process passes on to its backend. The server counts them and the pages ask; the pages are
 * bundled apart, with a copy of this module of their own, so both meet in one place of the process.
 */
export const openSockets = here[NAME];

/**
 * What an open page is told of how to follow its coverage: by the page itself and by every answer of `changes`, so
 * that it goes with the setting.
 */
export function followAttributes(coverage: ReaderCoverage, site: Site): FollowAttributes {
  const interval = coverage.reader_interval ?? site.reader_interval;
  const most = Number(process.env.STOPPRESS_READER_SOCKETS ?? 0);
  const follow = resolveFollow(coverage.reader_follow ?? site.reader_follow, {
    limit: most,
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
