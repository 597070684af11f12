import type { PublicState } from '../../domain/reader-coverage.ts';

/** The states of a coverage, as readers are told them: by a page, and by what follows it, which loads only these. */
export const states: Record<PublicState, string> = {
  scheduled: 'Not begun',
  live: 'Live',
  paused: 'Paused',
  ended: 'Ended',
  archived: 'Archived',
};
