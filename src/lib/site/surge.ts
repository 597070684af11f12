import type { Site } from './read.ts';

/** Are readers moved to slow checks now? What a server's load asked for ends by itself, so the time is a part of it. */
export function isSurging(
  { surge, surge_load_until }: Pick<Site, 'surge' | 'surge_load_until'>,
  now = Date.now(),
): boolean {
  return surge === 'on' || (surge === 'auto' && Date.parse(surge_load_until ?? '') > now);
}
