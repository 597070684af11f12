import { expect, test } from 'vitest';
import { clockNote } from '../../../src/lib/data/scheduling.ts';
import { utcFromLocal } from '../../../src/lib/domain/local-time.ts';
import { fullTime } from '../../../src/lib/domain/time.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { composer } from '../../../src/lib/i18n/en/composer.ts';

test.each([
  ['winter', '2026-01-10T14:05', 'Europe/Dublin', '2026-01-10T14:05:00.000Z'],
  ['summer', '2026-07-10T14:05', 'Europe/Dublin', '2026-07-10T13:05:00.000Z'],
  ['half-hour offsets', '2026-07-10T14:05', 'Asia/Kolkata', '2026-07-10T08:35:00.000Z'],
  ['the date line', '2026-01-01T01:00', 'Pacific/Auckland', '2025-12-31T12:00:00.000Z'],
  ['seconds', '2026-01-10T14:05:30', 'UTC', '2026-01-10T14:05:00.000Z'],
  ['a skipped hour, moved forward', '2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
  ['the first of a repeated hour', '2026-10-25T02:30', 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
])('converts %s', (_what, local, zone, utc) => {
  expect(utcFromLocal(local, zone)).toBe(utc);
});

test.each(['', 'tomorrow', '2026-02-30', '2026-02-30T10:00', '2026-13-01T10:00', '2026-01-10 14:05'])(
  'reads no time from %j',
  (local) => {
    expect(utcFromLocal(local, 'UTC')).toBeNull();
  },
);

test('explains times that are skipped or repeated when clocks change', () => {
  const note = (local: string) => clockNote(english, local, 'Europe/Dublin');
  const expected = (at: string) => fullTime(at, { timeZone: 'Europe/Dublin', language: 'en' });
  expect(note('2026-03-29T01:30')).toBe(composer.clocks.skipped(expected('2026-03-29T01:30:00Z')));
  expect(note('2026-10-25T01:30')).toBe(composer.clocks.twice(expected('2026-10-25T00:30:00Z')));
  for (const plain of ['2026-03-29T00:59', '2026-03-29T02:00', '2026-10-25T02:00', '', 'tomorrow']) {
    expect(note(plain), plain).toBeUndefined();
  }
});
