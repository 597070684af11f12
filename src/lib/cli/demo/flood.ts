import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO } from '../../i18n/cli.ts';
import {
  contentOf,
  type LiveCoverage,
  link,
  list,
  map,
  post,
  quote,
  table,
  type Writing,
} from './content.ts';
import type { Staff } from './people.ts';

export const FLOOD = {
  slug: 'wenn-flood-watch',
  kicker: 'Flood watch',
  headline: 'The Wenn is high at Ostley: what is open, what is closed',
  standfirst:
    'Two days of rain in the hills are coming down the valley. We are at the bridge, the school and the council.',
  time_zone: 'Europe/London',
  language: 'en',
  topics: ['weather', 'roads'],
};

export const FLOOD_SUMMARY = [
  'The Wenn at Ferry Steps is above its winter mark and below the flood mark of 3.60 m.',
  'Mill Lane and the towpath are closed. The bridge is open, with one lane for lorries.',
  'The primary school hall is open day and night. Nobody has been told to leave home.',
];

/** The summary before its last change. */
export const FLOOD_SUMMARY_BEFORE = [
  'The Wenn at Ferry Steps is above its winter mark and rising.',
  'The towpath is closed. The bridge is open.',
];

/** An update published this many minutes before the demo began. */
export type Recent = Writing & { minutesAgo: number };

/** In order of publication. */
export const FLOOD_UPDATES: Recent[] = [
  {
    minutesAgo: 312,
    headline: 'A flood watch for the lower Wenn',
    keyEvent: true,
    by: ['editor'],
    dateline: 'Ostley',
    body: [
      'The county has put the river below Hallam Weir on flood watch. It means that flooding is possible, not that it is expected.',
      list(
        'move cars from the quay and from the bottom of Mill Lane',
        'bring in what floats: boats, bins, garden chairs',
        'look in on a neighbour who may not have heard',
      ),
    ],
  },
  {
    minutesAgo: 294,
    body: [
      'It has stopped raining in the town. It has not in the hills, and that is the water to think about.',
    ],
    attribution: 'Hallam Weir keeper',
  },
  {
    minutesAgo: 270,
    photos: ['lane'],
    headline: 'Mill Lane is closed',
    keyEvent: true,
    body: [
      'Water stands across Mill Lane at the dip by the allotments, ankle deep. The council has put barriers at both ends. Go round by Church Hill.',
    ],
    dateline: 'Mill Lane',
  },
  {
    minutesAgo: 243,
    by: ['contributor'],
    body: [
      'The towpath is under water from the lock to the rowing club. The ducks have moved to the cricket ground.',
    ],
  },
  {
    minutesAgo: 221,
    headline: 'The school stays open',
    body: [
      'Ostley Primary is open and will close at the usual time. Parents who live across the river may fetch their children early.',
    ],
    attribution: 'The head teacher',
  },
  {
    minutesAgo: 198,
    photos: ['sandbags'],
    headline: 'Sandbags at the fire station',
    body: [
      'There are about four hundred, filled. Six to a household, more for those in Quay Street. Bring something to carry them in.',
      quote(
        'We would rather fill them for nothing than need them and not have them.',
        'Watch manager, Ostley fire station',
      ),
    ],
  },
  {
    minutesAgo: 176,
    verification: 'developing',
    body: ['Readers tell us of water in two cellars in Quay Street. We are on our way to see.'],
  },
  {
    minutesAgo: 160,
    headline: 'Two cellars, from below',
    body: [
      'It is ground water, not the river: it comes up through the floors of numbers 8 and 10, which it does most winters. Pumps are running in both.',
    ],
    dateline: 'Quay Street',
  },
  {
    minutesAgo: 131,
    photos: ['bridge'],
    headline: 'The bridge: one lane for lorries',
    keyEvent: true,
    body: [
      'Engineers have looked at the piers and are content. As a precaution lorries cross one at a time. Expect to wait ten minutes at the lights.',
    ],
    by: ['reporter', 'contributor'],
  },
  {
    minutesAgo: 104,
    body: [
      'If you are new to the valley, this is the page to know: readings every quarter of an hour, and what each mark on the gauge means.',
      link('https://www.gov.uk/check-flooding', 'Check for flooding', 'Warnings and river levels, by place.'),
    ],
  },
  {
    minutesAgo: 77,
    headline: 'Beds in the school hall',
    keyEvent: true,
    urgency: 'important',
    body: [
      'The hall has beds for sixty, hot food and room for dogs on leads. This is for anyone who would rather not be by the water. Nobody has been told to leave.',
    ],
    attribution: 'Ostley town council',
  },
  {
    minutesAgo: 64,
    photos: ['beds'],
    body: [
      'Forty beds are made up at the school, and the soup has arrived from the Anchor. So has the first dog.',
    ],
    dateline: 'Ostley Primary',
    by: ['contributor'],
  },
  {
    minutesAgo: 52,
    photos: ['town'],
    headline: 'Which roads are open',
    body: [
      'The bus to Hallam runs by the upper road and does not stop at Quay Street or the mill. Drivers will set people down where they ask, if it is safe.',
      table(
        {
          preset: 'closures',
          caption: 'Roads and paths by the river',
          source: 'County highways and our own walk',
        },
        ['Road', 'State', 'Go round by'],
        ['Mill Lane', 'closed', 'Church Hill'],
        ['Towpath', 'closed, under water', 'Allotment Row'],
        ['Ferry Bridge', 'restricted, one lane for lorries', ''],
        ['Quay Street', 'open', ''],
        ['Upper road', 'open, busy', ''],
      ),
      // The town is invented. This is a field near the Humber.
      map('Ostley fire station', 53.68, -0.62),
    ],
  },
  {
    minutesAgo: 33,
    headline: 'A longer wait than thought',
    body: [
      'The highest water is now expected some two hours later than was said at first. It is expected to stay below the flood mark.',
      post(35, {
        url: 'https://valley.example/@hallamweather/113560482917364201',
        author: 'Hallam weather station',
        handle: '@hallamweather@valley.example',
        network: 'Mastodon',
        text: 'The rain has stopped up here. 41 mm since midnight.\nIt takes about five hours to reach Ostley.',
      }),
    ],
    attribution: 'County flood desk',
  },
  {
    minutesAgo: 14,
    photos: ['boat'],
    body: ['The rowing club is busy. They are carrying the boats up to the road, eight people to each.'],
    by: ['contributor'],
  },
];

/** `minutesAgo` of the pinned update. */
export const FLOOD_PINNED = 77;

/** Updates that wait at the desk. */
export const FLOOD_UNPUBLISHED = {
  draft: {
    headline: 'Who decides to close the bridge',
    body: [
      'The county engineer decides, on the advice of the watch manager. We have asked both what they look at.',
    ],
  },
  scheduled: {
    inMinutes: 95,
    headline: 'Schools tomorrow: the list at six',
    body: [
      'The county names the schools that stay closed tomorrow at six. We publish the list here as it comes.',
    ],
  },
  submitted: {
    headline: 'The lock gates are open',
    by: ['contributor'],
    dateline: 'Ostley lock',
    body: [
      'The keeper has opened both gates so that driftwood passes. Boats above the lock have been moved to the wharf.',
    ],
  },
} satisfies Record<'draft' | 'scheduled' | 'submitted', Writing & { inMinutes?: number }>;

/** Water level at Ferry Steps when the demo begins, and its change, in metres. */
const START = 3.21;
const SWING = 0.22;
/** Readings in one cycle of rise and fall. */
const TIDE = 40;

/** Water level at a reading, in metres: a wave that stays below the flood mark. */
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

/** Observations of a reporter. They are true at any hour, so they can be repeated. */
const ROUNDS: Writing[] = [
  {
    body: [
      'We walked Quay Street from end to end. The road is wet and open. Most doors have their boards in.',
    ],
    dateline: 'Quay Street',
  },
  {
    body: ['The lights at the bridge hold lorries for about ten minutes. Cars go straight over.'],
    photos: ['bridge'],
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
    photos: ['lane'],
  },
  {
    body: [
      'The fire station has sandbags left and somebody to help carry them. Ring the bell at the side door.',
    ],
    photos: ['sandbags'],
  },
  {
    body: ['Hallam Weir is passing what comes to it. No branches or wreckage are caught on the gates.'],
    attribution: 'Hallam Weir keeper',
  },
  { body: ['Buses run to time by the upper road. The stop at the mill is not served for now.'] },
  {
    body: ['The towpath cannot be seen for water. Stay off it, with or without a torch.'],
    photos: ['town'],
  },
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

/** The n-th update, from 0. Every third one is a reading of the gauge. */
export function nightUpdate(n: number): Writing {
  if (n % 3 === 0) return gauge(n / 3 + 1);
  const round = ROUNDS[(n - Math.floor(n / 3) - 1) % ROUNDS.length];
  return round ?? gauge(n);
}

/** Added to an update when it is revised. */
const REVISION_TEXT = 'We have been back since, and it is as we said.';

/** The first update appears soon, so that a visitor sees the page change. In milliseconds. */
const FIRST_PAUSE_MS = 8_000;
const SHORTEST_PAUSE_MS = 20_000;
const LONGEST_PAUSE_MS = 40_000;

/** The newest update is revised after this many new ones. */
const REVISE_EVERY = 5;

type NightUpdates = {
  /** Stops after the current call. */
  stop(): Promise<void>;
};

/** Publishes updates in a live coverage as the reporter, through the public API, until it is stopped. */
export function publishNightUpdates(staff: Staff, coverage: LiveCoverage): NightUpdates {
  const over = new AbortController();
  const pauseFor = (ms: number) => wait(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const pause = () => pauseFor(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));

  /** Repeats a call until it succeeds. Ids and idempotency key stay the same, so it takes effect once. */
  const repeatUntilDone = async (send: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      try {
        return await send();
      } catch (error) {
        console.error(DEMO.retrying((error as Error).message));
        await pause();
      }
    }
    return undefined;
  };

  const publish = (id: string, writing: Writing) => {
    const args = {
      idempotency_key: randomUUID(),
      coverage_id: coverage.id,
      update_id: id,
      content: contentOf(writing, staff.ids, coverage.photos),
    };
    return repeatUntilDone(async () => staff.clients.reporter.rpc('publish_update', args).throwOnError());
  };

  const revise = (id: string, writing: Writing) => {
    const body = [...writing.body, REVISION_TEXT];
    const content = contentOf({ ...writing, body }, staff.ids, coverage.photos);
    const args = { idempotency_key: randomUUID(), update_id: id, version: 1, content };
    return repeatUntilDone(async () => staff.clients.reporter.rpc('revise_update', args).throwOnError());
  };

  const work = async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      await (n === 0 ? pauseFor(FIRST_PAUSE_MS) : pause());
      if (over.signal.aborted) return;
      const id = randomUUID();
      const writing = nightUpdate(n);
      await publish(id, writing);
      if (n % REVISE_EVERY !== REVISE_EVERY - 1) continue;
      await pause();
      if (!over.signal.aborted) await revise(id, writing);
    }
  };
  const worked = work();
  return {
    stop() {
      over.abort();
      return worked;
    },
  };
}
