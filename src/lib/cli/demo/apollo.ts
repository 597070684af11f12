import type { Writing } from './content.ts';

/** An update with its publication time in UTC. */
export type Dated = Writing & { at: string };

export const APOLLO = {
  slug: 'apollo-11-landing',
  kicker: 'Apollo 11',
  headline: 'Two people land on the Moon, walk on it and leave again',
  standfirst:
    'From our files: 20 and 21 July 1969 as we told it at the time, update by update, with the corrections we made.',
  time_zone: 'America/Chicago',
  language: 'en',
  topics: ['space'],
};

export const APOLLO_SUMMARY = [
  'Eagle landed on the Sea of Tranquility on 20 July 1969 at 20:17 UTC, with less than a minute of fuel to spare.',
  'Neil Armstrong stepped out at 02:56 UTC on 21 July and Buzz Aldrin 19 minutes later. They were outside for about two and a half hours.',
  'They left after 21 hours and 36 minutes and joined Michael Collins in Columbia, who had circled the Moon alone.',
];

/** Later changes of updates. Each update is identified by its publication time. */
export const APOLLO_CHANGES = {
  pinned: '1969-07-21T02:56:40Z',
  corrected: {
    at: '1969-07-20T20:18:05Z',
    wrong: '20:16 UTC',
    right: '20:17 UTC',
    note: 'We first gave the time of touchdown as 20:16 UTC. It was 20:17 UTC.',
  },
  clarified: {
    at: '1969-07-21T18:02:00Z',
    wrong: '9 miles above the surface at the lowest, 47 at the highest',
    right: '9 nautical miles above the surface at the lowest, 47 at the highest',
    note: 'Flight controllers count in nautical miles, of 1.85 km. We had not said so.',
  },
  withdrawn: {
    at: '1969-07-20T20:32:00Z',
    reason:
      'This gave a position that nobody in Houston has confirmed. Where exactly Eagle stands is not known yet.',
  },
};
