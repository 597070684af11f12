import { expect, test } from 'vitest';
import { publicationTimeProblem } from '../../../src/lib/data/scheduling.ts';
import { localTime, utcFromLocal } from '../../../src/lib/domain/local-time.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { desk } from '../../../src/lib/i18n/en/desk.ts';

test.each([
  ['Europe/Dublin', '2026-07-01T14:05'],
  ['Asia/Kathmandu', '2026-01-01T00:00'],
  ['America/New_York', '2026-12-31T23:59'],
])('a time in %s stays the same in its field: %s', (zone, local) => {
  expect(localTime(utcFromLocal(local, zone) ?? '', zone)).toBe(local);
});

const NOW = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['', desk.schedule.noTime],
  ['2026-02-30T10:00', desk.schedule.noTime],
  // Noon in Vienna was one hour before NOW.
  ['2026-11-22T12:30', desk.schedule.past],
  ['2026-11-22T13:01', undefined],
  ['2027-11-23T12:59', undefined],
  ['2027-11-23T13:01', desk.schedule.tooFar(366)],
])('reports for %j in Vienna: %s', (local, problem) => {
  expect(publicationTimeProblem(english, local, 'Europe/Vienna', NOW)).toBe(problem);
});
