import { expect, test } from 'vitest';
import { timelineParts, withEvents } from '../../../src/lib/data/coverages.ts';

/** Days with ten updates each. */
const DAYS = [16, 17, 18, 19, 20].map((day, index) => ({
  day: `1969-07-${day}`,
  updates: 10,
  first: index * 10 + 1,
  last: index * 10 + 10,
  first_at: `1969-07-${day}T06:00:00Z`,
  last_at: `1969-07-${day}T20:00:00Z`,
}));

const event = (number: number) => ({ number, line: `Event ${number}`, published_at: '' });

test('assigns key events to days by number', () => {
  const days = withEvents(DAYS, [event(1), event(10), event(11), event(50)]);
  expect(days.map(({ events }) => events.map(({ number }) => number))).toEqual([[1, 10], [11], [], [], [50]]);
});

test('combines consecutive days without key events', () => {
  const rows = timelineParts(withEvents(DAYS, [event(1), event(50)])).map((part) =>
    part.kind === 'day' ? part.day.day : part.days.map(({ day }) => day),
  );
  expect(rows).toEqual(['1969-07-16', ['1969-07-17', '1969-07-18', '1969-07-19'], '1969-07-20']);
  expect(timelineParts([])).toEqual([]);
});
