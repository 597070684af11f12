import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO } from '../../i18n/cli.ts';
import { contentOf, type Writing } from './content.ts';
import type { Staff } from './people.ts';

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
export function publishNightUpdates(staff: Staff, coverageId: string): NightUpdates {
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
      coverage_id: coverageId,
      update_id: id,
      content: contentOf(writing, staff.ids),
    };
    return repeatUntilDone(async () => staff.clients.reporter.rpc('publish_update', args).throwOnError());
  };

  const revise = (id: string, writing: Writing) => {
    const content = contentOf({ ...writing, body: [...writing.body, REVISION_TEXT] }, staff.ids);
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
