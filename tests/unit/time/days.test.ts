import { expect, test } from 'vitest';
import {
  dayAndTime,
  dayKey,
  dayName,
  fullTime,
  shortDay,
  shortTime,
  timeRelativeTo,
} from '../../../src/lib/domain/time.ts';

const chicago = { timeZone: 'America/Chicago', language: 'en' };

test('a day is a day of the zone', () => {
  const landing = '1969-07-21T02:56:15Z';
  expect(dayKey(landing, chicago)).toBe('1969-07-20');
  expect(dayName(landing, chicago)).toBe('Sunday, 20 July 1969');
  expect(dayName(landing, { timeZone: 'UTC', language: 'fr' })).toBe('lundi 21 juillet 1969');
  expect(fullTime(landing, chicago)).toBe('Sunday, 20 July 1969, 21:56 CDT');
});

test('a short day contains another year', () => {
  expect(shortDay('2026-11-20T12:00:00Z', chicago, '2026-01-01T12:00:00Z')).toBe('20 Nov');
  expect(shortDay('1969-07-20T12:00:00Z', chicago, '2026-01-01T12:00:00Z')).toBe('20 Jul 1969');
});

test('a time on the same day omits the day', () => {
  const published = '2026-11-20T18:00:00Z';
  expect(timeRelativeTo('2026-11-20T19:30:00Z', published, chicago)).toBe('13:30 CST');
  expect(timeRelativeTo('2026-11-21T19:30:00Z', published, chicago)).toBe('21 Nov, 13:30 CST');
});

test('times of a page that names its zone omit the zone, and follow it across midnight', () => {
  const published = '2026-11-20T18:00:00Z';
  expect(shortTime('2026-11-21T05:59:00Z', published, chicago)).toBe('23:59');
  expect(shortTime('2026-11-21T06:00:00Z', published, chicago)).toBe('21 Nov, 00:00');
  expect(dayAndTime('2026-11-21T05:59:00Z', chicago)).toBe('Friday, 20 November 2026, 23:59');
});
