import { expect, test } from 'vitest';
import {
  dayAndTime,
  dayKey,
  dayName,
  fullTime,
  shortDay,
  shortTime,
  timeRelativeTo,
  weekdayAndTime,
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

test('a time beside its date has the weekday only', () => {
  const start = '2026-11-21T05:59:00Z';
  expect(weekdayAndTime(start, chicago)).toBe('Friday, 23:59');
  expect(weekdayAndTime(start, { timeZone: 'Europe/Madrid', language: 'es' })).toBe('sábado, 06:59');
});

test('a time with its zone needs two formatters, because a phone creates one in 20 ms', () => {
  const { DateTimeFormat } = Intl;
  let created = 0;
  Intl.DateTimeFormat = class extends DateTimeFormat {
    constructor(...options: ConstructorParameters<typeof DateTimeFormat>) {
      super(...options);
      created++;
    }
  } as typeof DateTimeFormat;
  try {
    const at = '2026-11-20T19:30:00Z';
    // No other test uses this zone.
    expect(timeRelativeTo(at, at, { timeZone: 'America/Denver', language: 'en' })).toBe('12:30 MST');
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
  expect(created).toBe(2);
});
