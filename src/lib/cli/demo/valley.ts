import { link, list, quote, table } from './content.ts';
import type { Recent } from './flood.ts';

/* The smaller coverages of the demo: a paused, an archived and a scheduled one. */

const PLACE = { time_zone: 'Europe/London', language: 'en' };

export const LIBRARY = {
  slug: 'library-vote',
  kicker: 'Town council',
  headline: 'Council votes on the future of Ostley library',
  standfirst: 'The meeting has adjourned for supper. We are back in the chamber when it resumes.',
  topics: ['council'],
  ...PLACE,
};

export const LIBRARY_SUMMARY = [
  'The council has to save £140,000 this year. Closing the library on three days a week is one of four proposals.',
  'A petition with 2,318 names asks to keep it open. The vote is expected tonight.',
];

export const LIBRARY_UPDATES: Recent[] = [
  {
    minutesAgo: 212,
    photos: ['library'],
    headline: 'Standing room only',
    keyEvent: true,
    by: ['editor'],
    dateline: 'Town hall',
    body: [
      'About a hundred people have come for forty chairs. The doors to the landing stay open so that everyone can hear.',
    ],
  },
  {
    minutesAgo: 196,
    headline: 'The four proposals',
    body: [
      'Councillors can choose one, or combine them:',
      list(
        'open the library on three days instead of six',
        'move it into the town hall',
        'share a librarian with Hallam',
        'raise the charge for parking by ten pence an hour',
      ),
    ],
  },
  {
    minutesAgo: 171,
    by: ['reporter'],
    body: [
      quote('I learned to read English in that room.', 'Amara Bello, baker, to the council'),
      'Eleven people have spoken so far. Nine were against shorter hours.',
    ],
  },
  {
    minutesAgo: 164,
    headline: 'What 812 residents answered',
    by: ['reporter'],
    body: [
      'The council asked in October which of the four would hurt least. The officer who counted has read the result aloud.',
      table(
        {
          preset: 'results',
          align: ['start', 'end', 'start'],
          caption: 'Which of the four would you choose?',
          source: 'Ostley town council',
        },
        ['Proposal', 'Answers', 'Share'],
        ['Dearer parking', '326', '40.1 %'],
        ['Share a librarian', '251', '30.9 %'],
        ['Another building', '138', '17.0 %'],
        ['Open on three days', '97', '11.9 %'],
      ),
    ],
  },
  {
    minutesAgo: 158,
    headline: 'Petition handed in',
    keyEvent: true,
    body: ['The clerk has counted 2,318 names. The town has about 6,400 residents.'],
  },
  {
    minutesAgo: 149,
    headline: 'Meeting adjourned until after supper',
    keyEvent: true,
    body: ['The mayor has adjourned the meeting. The debate continues afterwards, and then the vote.'],
  },
];

export const MILL = {
  slug: 'mill-fire',
  kicker: 'Fire',
  headline: 'Fire at the old mill is out, and everyone is safe',
  standfirst: 'How the night went, update by update.',
  topics: ['weather'],
  ...PLACE,
};

export const MILL_SUMMARY = [
  'The roof of the old mill burned for about two hours. All nine residents left in time.',
  'Firefighters believe that it began in a store room. Mill Lane is open again.',
];

const DAY = 24 * 60;

export const MILL_UPDATES: Recent[] = [
  {
    minutesAgo: 3 * DAY + 190,
    photos: ['mill'],
    headline: 'Smoke over the old mill',
    keyEvent: true,
    body: [
      'The roof of the old mill is on fire. Two engines are there and a third is on its way from Hallam.',
    ],
    dateline: 'Mill Lane',
  },
  {
    minutesAgo: 3 * DAY + 166,
    headline: 'All nine residents are out',
    keyEvent: true,
    body: [
      'Everyone who lives in the mill has been counted and is safe. The Anchor has opened its kitchen for them.',
    ],
    attribution: 'Ostley fire station',
  },
  {
    minutesAgo: 3 * DAY + 121,
    by: ['contributor'],
    body: ['Smoke drifts across the allotments. If you live on Church Hill, keep your windows closed.'],
  },
  {
    minutesAgo: 3 * DAY + 70,
    headline: 'The fire is out',
    keyEvent: true,
    body: [
      'Crews stay overnight in case it flares up again. Mill Lane opens in the morning.',
      link(
        'https://www.gov.uk/browse/housing-local-services',
        'Help with housing',
        'Whom to ask when you cannot go home.',
      ),
    ],
  },
  {
    minutesAgo: 3 * DAY + 38,
    photos: ['steps', 'gauge'],
    headline: 'Where the water came from',
    body: [
      'The engines took it from the river, at the steps of the quay, for two hours. The gauge did not move by a hair.',
    ],
    dateline: 'Ferry Steps',
  },
];

export const MARATHON = {
  slug: 'wenn-half-marathon',
  kicker: 'Running',
  headline: 'Wenn half marathon: the course, the roads, the runners',
  standfirst: 'Eleven hundred people run from the quay to Hallam Weir and back.',
  topics: ['roads'],
  ...PLACE,
};
