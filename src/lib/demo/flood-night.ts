import type { Writing } from './writing.ts';

/** Metres at Ferry Steps when the demo begins, and how far the night moves it. */
const START = 3.21;
const SWING = 0.22;
/** Readings in one rise and fall. */
const TIDE = 40;

/** The level at the gauge at a reading, in metres: rises for a while, then falls, below the flood mark always. */
export const levelAt = (reading: number) => START + SWING * Math.sin((reading / TIDE) * 2 * Math.PI);

const metres = (level: number) => `${level.toFixed(2)} m`;

function gauge(reading: number): Writing {
  const [now, before] = [levelAt(reading), levelAt(reading - 1)];
  const moved = Math.round((now - before) * 100);
  const how = moved === 0 ? 'the same as' : `${Math.abs(moved)} cm ${moved > 0 ? 'above' : 'below'}`;
  return {
    headline: `Ferry Steps: ${metres(now)}`,
    body: [
      `The gauge at Ferry Steps reads ${metres(now)}, ${how} the reading before. The flood mark is at 3.60 m.`,
    ],
    dateline: 'Ferry Steps',
  };
}

/** What a reporter sees on the rounds of such a night; true of any of its hours, so that it may come round again. */
const ROUNDS: Writing[] = [
  {
    body: [
      'We walked Quay Street from end to end. The road is wet and open. Most doors have their boards in.',
    ],
    dateline: 'Quay Street',
  },
  {
    body: ['The lights at the bridge hold lorries for about ten minutes. Cars go straight over.'],
    dateline: 'Ostley bridge',
  },
  {
    body: [
      'Both pumps are running in the cellars of numbers 8 and 10. The water in them is no higher than it was.',
    ],
  },
  {
    body: ['In the school hall there are more helpers than guests at the moment, and a great deal of soup.'],
    dateline: 'Ostley Primary',
  },
  {
    body: [
      'Mill Lane is still closed at the dip. Please leave the barriers where they are: the edge of the road is soft.',
    ],
  },
  {
    body: [
      'The fire station has sandbags left and somebody to help carry them. Ring the bell at the side door.',
    ],
  },
  {
    body: ['Hallam Weir is passing what comes to it. No branches or wreckage are caught on the gates.'],
    attribution: 'Hallam Weir keeper',
  },
  { body: ['Buses run to time by the upper road. The stop at the mill is not served for now.'] },
  { body: ['The towpath cannot be seen for water. Stay off it, with or without a torch.'] },
  {
    body: [
      'No calls for help to the fire station since the last hour, and none from the farms below the town.',
    ],
    attribution: 'Ostley fire station',
  },
  {
    body: ['We asked the county again whether anyone should leave home. The answer is still no.'],
    attribution: 'County flood desk',
  },
  {
    body: [
      'It is dry over the town and the cloud is breaking. Rain over the hills is lighter than it was, by the radar.',
    ],
  },
];

/** The n-th update of the night, from 0: every third one is a reading of the gauge. */
export function nightUpdate(n: number): Writing {
  if (n % 3 === 0) return gauge(n / 3 + 1);
  const round = ROUNDS[(n - Math.floor(n / 3) - 1) % ROUNDS.length];
  return round ?? gauge(n);
}

/** What a second look adds to an update. */
export const SECOND_LOOK = 'We have been back since, and it is as we said.';
