import { clockOf, isOver } from '../coverage/coverage.ts';
import { findCoverage } from '../coverage/read.ts';
import { siteClock } from '../site/clock.ts';
import type { Site } from '../site/read.ts';
import type { Clock } from '../time/clock.ts';
import { findTopic } from '../topics/read.ts';
import type { Target } from './follow.ts';

/** What can be followed, as the pages about it name it. */
export type Followed = Target & {
  name: string;
  /** Nothing more comes of it. */
  over: boolean;
  /** The language that it is in, and the zone. */
  clock: Clock;
};

/** What is at an address; `moved`: another slug. */
export type FoundFollowed = Followed | { moved: string } | 'gone' | 'not_found';

export async function findFollowed({ kind, slug }: Target, site: Site | null): Promise<FoundFollowed> {
  if (kind === 'topic') {
    const topic = await findTopic(slug);
    return topic ? { kind, slug, name: topic.name, over: false, clock: siteClock(site) } : 'not_found';
  }
  const found = await findCoverage(slug);
  if (found.kind === 'moved') return { moved: found.slug };
  if (found.kind !== 'found') return found.kind;
  const { coverage } = found;
  return { kind, slug, name: coverage.headline, over: isOver(coverage.state), clock: clockOf(coverage) };
}

/** The name of what is at an address; null where there is nothing to follow. */
export async function nameOfFollowed(target: Target, site: Site | null): Promise<string | null> {
  const found = await findFollowed(target, site);
  return typeof found === 'object' && 'name' in found ? found.name : null;
}
