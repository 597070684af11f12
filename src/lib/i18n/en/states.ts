import type { PublicState } from '../../domain/reader-coverage.ts';

/** States of a coverage on public pages. A separate part, because the live feed loads only these. */
export const states: Record<PublicState, string> = {
  scheduled: 'Not begun',
  live: 'Live',
  paused: 'Paused',
  ended: 'Ended',
  archived: 'Archived',
};
