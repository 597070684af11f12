import { describe, expect, it } from 'vitest';
import { isTimeZone, timeZoneFrom, timeZones } from '../../../src/lib/domain/time.ts';

describe('timeZoneFrom', () => {
  it('answers with the spelling of IANA', () => {
    expect(timeZoneFrom(' europe/PARIS ')).toBe('Europe/Paris');
    expect(timeZoneFrom('utc')).toBe('UTC');
  });

  it('leaves a text that names no zone for the database to refuse', () => {
    expect(timeZoneFrom('Etc/GMT+99')).toBe('Etc/GMT+99');
  });
});

describe('isTimeZone', () => {
  it('knows every zone that the form offers, and no POSIX zone', () => {
    expect(timeZones().filter((zone) => !isTimeZone(zone))).toEqual([]);
    expect(['Etc/GMT+99', 'foo+5', ''].filter(isTimeZone)).toEqual([]);
  });
});
