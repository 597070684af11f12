import type { SurgeMode } from '../../domain/reader-coverage.ts';

/** Messages of the surge switch. */
export const surge = {
  title: 'How readers follow',
  help: 'In a surge open pages ask once a minute that are else told at once, or ask more often: the server bears many more of them. They go over within a minute, and back. Pages that ask more seldom go on as they do.',
  modes: {
    auto: 'Automatic: a surge while the server is busy',
    on: 'Surge now, until this is changed',
    off: 'Never a surge, however busy the server is',
  } satisfies Record<SurgeMode, string>,
  set: 'Set',
  change: 'Change this',
  now: {
    /** Before and after the start time. */
    on: ['Readers ask at most once a minute since', 'because the desk has set it so.'],
    auto: ['Readers ask at most once a minute since', 'because the server is busy.'],
    usual: 'Readers follow as usual.',
  },
  choose: 'Choose one of the three, then set it.',
};
