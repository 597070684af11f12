import { describe, expect, test } from 'vitest';
import {
  BEFORE_PATTERN,
  type ListPosition,
  paginateByTime,
  readBefore,
} from '../../../src/lib/domain/list-paths.ts';

const ROOM = { min: 3, max: 6 };
const ID = '0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a7';

/** Items with these times, newest first, with ids in the same order. */
const list = (...times: string[]): ListPosition[] =>
  times.map((time, index) => ({ position: `${time}.000000`, id: `${ID}${9 - index}` }));

const HOURS = Array.from({ length: 10 }, (_, n) => `2026-11-21T${String(23 - n).padStart(2, '0')}:10:00`);

describe('pages of a list by time', () => {
  test('one page contains a list that fits', () => {
    expect(paginateByTime([], ROOM)).toEqual({ shown: 0 });
    expect(paginateByTime(list(...HOURS.slice(0, 6)), ROOM)).toEqual({ shown: 6 });
  });

  test('split between days rather than hours', () => {
    const times = [...HOURS.slice(0, 4), '2026-11-20T23:50:00', '2026-11-20T23:40:00', '2026-11-20T23:30:00'];
    expect(paginateByTime(list(...times), ROOM)).toEqual({ shown: 4, before: '2026-11-21' });
  });

  test('and between months rather than days', () => {
    const times = [
      '2026-12-03T10:00:00',
      '2026-12-02T10:00:00',
      '2026-12-01T10:00:00',
      '2026-11-30T10:00:00',
      '2026-11-29T10:00:00',
      '2026-11-28T10:00:00',
      '2026-11-27T10:00:00',
    ];
    expect(paginateByTime(list(...times), ROOM)).toEqual({ shown: 3, before: '2026-12' });
  });

  test('split by second within a minute, and by id at equal times', () => {
    const seconds = Array.from({ length: 7 }, (_, n) => `2026-11-21T10:10:1${9 - n}`);
    expect(paginateByTime(list(...seconds), ROOM)).toEqual({ shown: 3, before: '2026-11-21T10:10:17' });
    expect(paginateByTime(list(...Array.from({ length: 7 }, () => '2026-11-21T10:10:10')), ROOM)).toEqual({
      shown: 6,
      before: `2026-11-21T10:10:10.000000~${ID}4`,
    });
  });

  test.for([
    ['by the hour', HOURS],
    ['of one moment', Array.from({ length: 10 }, () => '2026-11-21T10:10:10')],
    [
      'of two moments',
      [
        ...Array.from({ length: 5 }, () => '2026-11-21T10:10:11'),
        ...Array.from({ length: 5 }, () => '2026-11-21T10:10:10'),
      ],
    ],
  ] as const)('%s is met whole, each item once, from page to page', ([, times]) => {
    const all = list(...times);
    const met: ListPosition[] = [];
    let rest = all;
    for (let pages = 0; rest.length > 0 && pages < 10; pages++) {
      const { shown, before } = paginateByTime(rest.slice(0, ROOM.max + 1), ROOM);
      met.push(...rest.slice(0, shown));
      if (before === undefined) break;
      expect(before).toMatch(BEFORE_PATTERN);
      const from = readBefore(before);
      // The comparison of the database.
      rest = all.filter(
        ({ position, id }) => `${position}Z${id}` < `${from?.before_position}${from?.before_id ?? ''}`,
      );
    }
    expect(met).toEqual(all);
  });

  test('split at the same place after newer items', () => {
    const now = list(...HOURS.slice(0, 4), ...HOURS.map((time) => time.replace('-21T', '-19T')));
    const earlier = now.slice(1);
    expect(paginateByTime(now.slice(0, 7), ROOM)).toEqual({ shown: 4, before: '2026-11-21' });
    expect(paginateByTime(earlier.slice(0, 7), ROOM)).toEqual({ shown: 3, before: '2026-11-21' });
  });
});

test.for([
  ['2026', '2026-01-01T00:00:00.000000Z'],
  ['2026-11', '2026-11-01T00:00:00.000000Z'],
  ['2026-11-21', '2026-11-21T00:00:00.000000Z'],
  ['2026-11-21T14:02', '2026-11-21T14:02:00.000000Z'],
  ['2026-11-21T14:02:10.123456', '2026-11-21T14:02:10.123456Z'],
] as const)('%s is read as %s', ([before, time]) => {
  expect(before).toMatch(BEFORE_PATTERN);
  expect(readBefore(before)).toEqual({ before_position: time });
});

test.for(['2026-13', '2026-00', '2026-02-31', '2026-11-21T24', '2026-11-21T10:60'])(
  '%s is no time',
  (before) => {
    expect(before).toMatch(BEFORE_PATTERN);
    expect(readBefore(before)).toBeNull();
  },
);

test.for([
  '',
  '26',
  '2026-1',
  '0001',
  '2026-11-21 10:00',
  '2026-11-21T10:10:10.5',
  `2026-11-21~${ID}1`,
  "2026'",
])('%s is not a valid position', (before) => {
  expect(before).not.toMatch(BEFORE_PATTERN);
});
