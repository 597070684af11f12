import type { ReaderFollow } from '../domain/reader-coverage.ts';

/** How open pages follow a coverage now. `full`: pages with a socket keep it, others do not open one. */
export type FollowMethod = 'sockets' | 'checks' | 'full';

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
