import type { ReaderFollow } from '../domain/reader-coverage.ts';

/** How a page follows its coverage now. `full`: who has a socket keeps it, and nobody else opens one. */
export type Follow = 'sockets' | 'checks' | 'full';

/** What a page and its answers say of it, as attributes of their markup. */
export type FollowAttributes = {
  'data-follow': Follow;
  /** Seconds between checks. */
  'data-interval': number;
  /** Where browsers reach the backend, and its publishable key: for those who open a socket. */
  'data-backend'?: string;
  'data-key'?: string;
};

/** How many readers may follow by socket, and how many sockets this server passes on to its backend. */
export type Sockets = { most: number; open: number };

/** What a setting means while so many sockets are open. */
export function resolveFollow(setting: ReaderFollow, { most, open }: Sockets): Follow {
  if (setting !== 'auto') return setting;
  if (most === 0) return 'checks';
  // Not `checks`, or all would leave at once and come back at once, again and again.
  return open < most ? 'sockets' : 'full';
}
