import type { Follow } from '../../lib/coverage/follow.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';

/** How the site wants a page to follow: said by the page itself, and by every answer of `changes`. */
export type FollowMode = {
  follow: Follow;
  /** Seconds between checks. */
  interval: number;
  /** Where the socket leads; there when one may be opened. */
  backend: BrowserBackend | undefined;
};

export function readFollowMode({ dataset }: HTMLElement): FollowMode {
  const { follow, interval, backend, key } = dataset;
  return {
    follow: follow as Follow,
    interval: Number(interval),
    backend: backend && key ? { publicUrl: backend, publishableKey: key } : undefined,
  };
}
