import type { PublicState } from '../coverage/coverage.ts';

/** The states of a coverage, as readers are told them. */
export const states: Record<PublicState, string> = {
  scheduled: 'Not begun',
  live: 'Live',
  paused: 'Paused',
  ended: 'Ended',
  archived: 'Archived',
};
