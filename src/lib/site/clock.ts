import type { Clock } from '../time/clock.ts';
import type { Site } from './read.ts';

/** How times are told on a page that belongs to no coverage, and so keeps to no coverage's zone. */
export function siteClock(site: Pick<Site, 'language'> | null): Clock {
  return { timeZone: 'UTC', language: site?.language ?? 'en' };
}
