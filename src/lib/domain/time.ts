/** What a moment is given as: an ISO 8601 string with its zone, as the database writes it, or a Date. */
export type Moment = string | Date;

export const toDate = (at: Moment): Date => (typeof at === 'string' ? new Date(at) : at);

const made = new Map<string, Intl.DateTimeFormat>();

/**
 * The formatter for a language, a zone and a form. Making one costs more than rendering an update, so each is
 * made once; there are as many as newsrooms use languages and zones.
 */
export function formatter(
  language: string,
  timeZone: string,
  form: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${JSON.stringify(form)}`;
  let format = made.get(key);
  if (!format) {
    format = make(language, timeZone, form);
    made.set(key, format);
  }
  return format;
}

/** What the database takes as a language or a zone and Intl does not know is told in English, or in UTC. */
function make(language: string, timeZone: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const attempts: [string, string][] = [
    [language, timeZone],
    ['en-GB', timeZone],
    [language, 'UTC'],
  ];
  for (const [tag, zone] of attempts) {
    try {
      return new Intl.DateTimeFormat(tag, { ...form, timeZone: zone });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return new Intl.DateTimeFormat('en-GB', { ...form, timeZone: 'UTC' });
}

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

/** Which day it was in the zone, for comparing and for a `datetime` attribute: `2026-11-21`. */
export function dayKey(at: Moment, { timeZone }: Clock): string {
  const form = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const parts = formatter('en-GB', timeZone, form).formatToParts(toDate(at));
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** The day in full: `Saturday 21 November 2026`. */
export function dayName(at: Moment, { timeZone, language }: Clock): string {
  const form = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return formatter(regional(language), timeZone, form).format(toDate(at));
}

/** The days from one moment to another: `16–24 July 1969`; one day where they are of the same. */
export function dayRange(from: Moment, to: Moment, { timeZone, language }: Clock): string {
  const form = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  return formatter(regional(language), timeZone, form).formatRange(toDate(from), toDate(to));
}

/** The month: `November 2026`. */
export function monthName(at: Moment, { timeZone, language }: Clock): string {
  return formatter(regional(language), timeZone, { month: 'long', year: 'numeric' }).format(toDate(at));
}

/** The month, under its year: `November`. */
export function monthAlone(at: Moment, { timeZone, language }: Clock): string {
  return formatter(regional(language), timeZone, { month: 'long' }).format(toDate(at));
}

/** A day of a month, for a narrow column: `Sat 21`. */
export function dayOfMonth(at: Moment, { timeZone, language }: Clock): string {
  return formatter(regional(language), timeZone, { weekday: 'short', day: 'numeric' }).format(toDate(at));
}

/** The day in a few letters, for a narrow column: `21 Nov`, with the year where it is another than that of `beside`. */
export function shortDay(at: Moment, clock: Clock, beside: Moment): string {
  const other = dayKey(at, clock).slice(0, 4) !== dayKey(beside, clock).slice(0, 4);
  const form: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  if (other) form.year = 'numeric';
  return formatter(regional(clock.language), clock.timeZone, form).format(toDate(at));
}

/** Day and time with the zone: `Saturday 21 November 2026, 14:02 GMT`. */
export function fullTime(at: Moment, clock: Clock): string {
  return `${dayName(at, clock)}, ${clockTime(at, clock)} ${zoneName(at, clock)}`;
}

/** Time with the zone; with its day when that is another than the one it stands beside. */
export function timeBeside(at: Moment, beside: Moment, clock: Clock): string {
  const time = `${clockTime(at, clock)} ${zoneName(at, clock)}`;
  return dayKey(at, clock) === dayKey(beside, clock) ? time : `${shortDay(at, clock, beside)}, ${time}`;
}

/** Which days it is in these zones: a page that tells times beside today is another one when one of them has another. */
export function dayKeys(at: Moment, clocks: Clock[]): string[] {
  const days = new Map(clocks.map((clock) => [clock.timeZone, clock]));
  return [...days.values()].map((clock) => dayKey(at, clock));
}

/** English without a region has days before months here, as its newspapers outside America do. */
function regional(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

/** Time zones to choose from, by their IANA names. */
export const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** IANA's spelling of a name from a form; the text as it is when it names no zone of the list. */
export function timeZoneFrom(text: string): string {
  const name = text.trim();
  return zones().find((zone) => zone.toLowerCase() === name.toLowerCase()) ?? name;
}

/** Whether Intl knows a zone by this name. The database decides which of them are stored (`private.time_zones`). */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
