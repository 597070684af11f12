import { formatter, type Moment, toDate } from './formats.ts';

/** How the times of a page are told: its coverage's zone, and the language that days and months are named in. */
export type Clock = { timeZone: string; language: string };

/** English by region: between them they name most zones by letters, where one alone would count hours. */
const NAMING_LANGUAGES = ['en-GB', 'en-US', 'en-CA', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];
/** A winter and a summer whose names Intl knows: it has letters for hardly any zone before 1970. */
const NAMED_TIMES = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'];

/** Hours and minutes on a 24-hour clock: `14:02`. In European digits everywhere, so that columns line up. */
export function clockTime(at: Moment, { timeZone }: Clock): string {
  return formatter('en-GB', timeZone, { timeStyle: 'short' }).format(toDate(at));
}

/** As clockTime, with seconds: `14:02:10`. */
export function exactTime(at: Moment, { timeZone }: Clock): string {
  return formatter('en-GB', timeZone, { timeStyle: 'medium' }).format(toDate(at));
}

/** The zone's short name at that moment: `BST`, `CDT`, or its offset (`GMT+5:45`) where it has no letters. */
export function zoneName(at: Moment, { timeZone, language }: Clock): string {
  const offset = namePart(at, timeZone, 'en', 'longOffset');
  for (const moment of [at, ...NAMED_TIMES]) {
    if (namePart(moment, timeZone, 'en', 'longOffset') !== offset) continue;
    for (const tag of [language, ...NAMING_LANGUAGES]) {
      const name = namePart(moment, timeZone, tag, 'short');
      if (/^[A-Z]{2,5}$/.test(name)) return name;
    }
  }
  return namePart(at, timeZone, language, 'short');
}

function namePart(at: Moment, timeZone: string, language: string, timeZoneName: 'short' | 'longOffset') {
  const parts = formatter(language, timeZone, { timeZoneName }).formatToParts(toDate(at));
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}

/** The same moment for a `datetime` attribute or another machine: UTC, whole seconds. */
export function machineTime(at: Moment): string {
  return toDate(at)
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z');
}

/** The same for readers of data who ask what time it was there: with the offset of the zone, `2026-11-21T14:02:10+05:30`. */
export function zonedTime(at: Moment, { timeZone }: Clock): string {
  const offset = namePart(at, timeZone, 'en', 'longOffset');
  const [, sign = '+', hours = '00', minutes = '00'] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(offset) ?? [];
  // Before there were zones clocks differed by seconds too, which no offset can say.
  if (!/^GMT([+-]\d\d:\d\d)?$/.test(offset)) return machineTime(at);
  const away = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return machineTime(new Date(toDate(at).getTime() + away)).replace('Z', `${sign}${hours}:${minutes}`);
}
