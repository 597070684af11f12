import type { Site } from './read.ts';

/** Are readers moved to slow checks now? */
export function isSurging({ surge, surging }: Pick<Site, 'surge' | 'surging'>): boolean {
  return surge === 'on' || (surge === 'auto' && surging);
}
