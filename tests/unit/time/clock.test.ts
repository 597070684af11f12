import { expect, test } from 'vitest';
import { clockTime, exactTime, machineTime, zonedTime, zoneName } from '../../../src/lib/domain/time.ts';

const inZone = (timeZone: string, language = 'en') => ({ timeZone, language });

test('shows times in the zone on a 24-hour clock', () => {
  const midnight = '2026-07-21T23:02:10.25+00:00';
  expect(clockTime(midnight, inZone('Europe/London'))).toBe('00:02');
  expect(clockTime(midnight, inZone('America/Chicago'))).toBe('18:02');
  expect(exactTime(midnight, inZone('Asia/Kolkata', 'hi'))).toBe('04:32:10');
});

test.for([
  ['2026-07-21T12:00:00Z', 'Europe/London', 'BST'],
  ['2026-12-21T12:00:00Z', 'Europe/London', 'GMT'],
  ['2026-12-21T12:00:00Z', 'America/Chicago', 'CST'],
  ['2026-07-21T12:00:00Z', 'Europe/Paris', 'CEST'],
  // Intl has no abbreviation for 1969, but for the same offset it has one.
  ['1969-07-20T20:17:40Z', 'America/Chicago', 'CDT'],
  ['2026-07-21T12:00:00Z', 'Asia/Kathmandu', 'GMT+5:45'],
  ['2026-07-21T12:00:00Z', 'UTC', 'UTC'],
] as const)('at %s the zone %s is called %s', ([at, zone, name]) => {
  expect(zoneName(at, inZone(zone))).toBe(name);
});

test('shows UTC for an unknown zone or language', () => {
  const at = '2026-07-21T12:00:00Z';
  expect(`${clockTime(at, inZone('Mars/Olympus'))} ${zoneName(at, inZone('Mars/Olympus'))}`).toBe(
    '12:00 UTC',
  );
  expect(zoneName(at, inZone('Europe/London', 'en-aa-bb-cc-dd'))).toBe('BST');
});

test('writes machine-readable times in whole seconds UTC', () => {
  expect(machineTime('2026-07-21T14:02:10.25+02:00')).toBe('2026-07-21T12:02:10Z');
});

test.for([
  ['2026-07-21T12:00:00.25Z', 'Europe/London', '2026-07-21T13:00:00+01:00'],
  ['2026-12-21T12:00:00Z', 'Europe/London', '2026-12-21T12:00:00+00:00'],
  ['2026-12-21T02:00:00Z', 'America/St_Johns', '2026-12-20T22:30:00-03:30'],
  ['2026-07-21T12:00:00Z', 'Asia/Kathmandu', '2026-07-21T17:45:00+05:45'],
  // Paris was nine minutes and 21 seconds ahead of Greenwich.
  ['1900-01-01T00:00:00Z', 'Europe/Paris', '1900-01-01T00:00:00Z'],
] as const)('%s in %s is %s', ([at, zone, said]) => {
  expect(zonedTime(at, inZone(zone))).toBe(said);
  expect(Date.parse(said)).toBe(Math.floor(Date.parse(at) / 1000) * 1000);
});
