import type { Follow } from '../../lib/coverage/follow.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';

/** How the page learns of changes. The page and every changes response contain it. */
export type FollowMode = {
  follow: Follow;
  /** Seconds between checks. */
  interval: number;
  /** Address and key for the socket, if one may be opened. */
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
