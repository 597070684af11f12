import { backendSettings } from '../data/environment.ts';
import { serverBridge } from '../data/server-bridge.ts';
import { isSurging, type Site } from '../data/site.ts';
import { LIMITS } from '../domain/limits.ts';
import type { FollowMethod, ReaderCoverage, ReaderFollow } from '../domain/reader-coverage.ts';

// Inserted by the build: see src/lib/server/build/build-id.ts.
declare const __STOPPRESS_BUILD__: string;

/** Id of this build. Pages and changes responses contain it, so that an open page notices a newer build. */
export const BUILD: string = __STOPPRESS_BUILD__;

/**
 * Kilobytes that an open page transfers when a reader on a poor connection starts following by checks: the scripts
 * (tests/budget/scripts.json), and ten seconds later the service worker with the page that it stores.
 */
export const FOLLOW_SCRIPTS_KB = 78;

/** Kilobytes of the scripts that keep a receipt page up to date. */
export const RECEIPT_SCRIPTS_KB = 64;

/** Follow settings as attributes in the markup of pages and changes responses. */
export type FollowAttributes = {
  'data-follow': FollowMethod;
  /** Seconds between checks. */
  'data-interval': number;
  /** Public URL of the backend and its publishable key, for opening a socket. */
  'data-backend'?: string;
  'data-key'?: string;
};

/** Maximum number of reader sockets, and the number that this server currently proxies. */
type SocketUsage = { limit: number; open: number };

/** Resolves the setting of a site or coverage with the current number of sockets. */
export function resolveFollow(setting: ReaderFollow, { limit, open }: SocketUsage): FollowMethod {
  if (setting !== 'auto') return setting;
  if (limit === 0) return 'checks';
  // With `checks`, all pages would close their sockets together and open them together again.
  return open < limit ? 'sockets' : 'full';
}

/**
 * Returns the follow settings of a coverage as attributes of its pages and changes responses, so that open pages
 * notice a change.
 */
export function followAttributes(coverage: ReaderCoverage, site: Site): FollowAttributes {
  const interval = coverage.check_interval_seconds ?? site.check_interval_seconds;
  const follow = resolveFollow(coverage.reader_follow_mode ?? site.reader_follow_mode, {
    limit: Number(process.env.STOPPRESS_READER_SOCKETS ?? 0),
    open: serverBridge.openSockets,
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
