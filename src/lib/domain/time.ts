/** A time: an ISO 8601 string with its zone, as the database writes it, or a Date. */
type Moment = string | Date;

const toDate = (at: Moment): Date => (typeof at === 'string' ? new Date(at) : at);

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns a cached formatter. Creating one takes longer than rendering an update. There are only as many as newsrooms
 * use languages and zones.
 */
function formatter(
  language: string,
  timeZone: string,
  form: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${JSON.stringify(form)}`;
  let format = formatters.get(key);
  if (!format) {
    format = createFormatter(language, timeZone, form);
    formatters.set(key, format);
  }
  return format;
}

/** Falls back to English or UTC for a language or zone that the database accepts and Intl does not know. */
function createFormatter(
  language: string,
  timeZone: string,
  form: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
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

/** How the times of a page are shown: the zone of its coverage, and the language for the names of days and months. */
export type Clock = { timeZone: string; language: string };

/** English variants with abbreviations for zones. Together they name most zones; one alone would show offsets. */
const NAMING_LANGUAGES = ['en-GB', 'en-US', 'en-CA', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];
/** A winter and a summer date for which Intl has abbreviations. It has hardly any for dates before 1970. */
const SAMPLE_TIMES = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'];

/** Returns date and time in European digits. Both come from one formatter, because a phone creates one in 20 ms. */
function numericParts(at: Moment, timeZone: string): [date: string, time: string] {
  const form = { dateStyle: 'short', timeStyle: 'short' } as const;
  const [day = '', time = ''] = formatter('en-GB', timeZone, form).format(toDate(at)).split(', ');
  return [day, time];
}

/**
 * Returns hours and minutes on a 24-hour clock: `14:02`. European digits in every language, so that columns line up.
 */
export function clockTime(at: Moment, { timeZone }: Clock): string {
  return numericParts(at, timeZone)[1];
}

/** As clockTime, with seconds: `14:02:10`. */
export function exactTime(at: Moment, { timeZone }: Clock): string {
  return formatter('en-GB', timeZone, { timeStyle: 'medium' }).format(toDate(at));
}

/** Returns the abbreviation of the zone at that time: `BST`, `CDT`, or its offset (`GMT+5:45`) if it has none. */
export function zoneName(at: Moment, { timeZone, language }: Clock): string {
  const offsetAt = (moment: Moment) => namePart(moment, timeZone, 'en', 'longOffset');
  for (const moment of [at, ...SAMPLE_TIMES]) {
    if (moment !== at && offsetAt(moment) !== offsetAt(at)) continue;
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

/** Formats a time for a `datetime` attribute or an API: UTC, whole seconds. */
export function machineTime(at: Moment): string {
  return toDate(at)
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z');
}

/**
 * Like machineTime, with the zone's offset: `2026-11-21T14:02:10+05:30`. For data formats whose readers need the
 * local time.
 */
export function zonedTime(at: Moment, { timeZone }: Clock): string {
  const offset = namePart(at, timeZone, 'en', 'longOffset');
  const [, sign = '+', hours = '00', minutes = '00'] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(offset) ?? [];
  // Before standard time, offsets included seconds, which ISO 8601 cannot express.
  if (!/^GMT([+-]\d\d:\d\d)?$/.test(offset)) return machineTime(at);
  const away = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return machineTime(new Date(toDate(at).getTime() + away)).replace('Z', `${sign}${hours}:${minutes}`);
}

/** Returns the date in the zone, for comparisons and `datetime` attributes: `2026-11-21`. */
export function dayKey(at: Moment, { timeZone }: Clock): string {
  const [day, month, year = ''] = numericParts(at, timeZone)[0].split('/');
  return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** Returns the full date: `Saturday 21 November 2026`. */
export function dayName(at: Moment, { timeZone, language }: Clock): string {
  const form = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return formatter(withRegion(language), timeZone, form).format(toDate(at));
}

/** Returns a range of dates: `16–24 July 1969`. A single date if both are on the same day. */
export function dayRange(from: Moment, to: Moment, { timeZone, language }: Clock): string {
  const form = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  return formatter(withRegion(language), timeZone, form).formatRange(toDate(from), toDate(to));
}

/** Returns the month and year: `November 2026`. */
export function monthName(at: Moment, { timeZone, language }: Clock): string {
  return formatter(withRegion(language), timeZone, { month: 'long', year: 'numeric' }).format(toDate(at));
}

/** Returns the name of the month: `November`. */
export function monthOnly(at: Moment, { timeZone, language }: Clock): string {
  return formatter(withRegion(language), timeZone, { month: 'long' }).format(toDate(at));
}

/** Returns the day of the month for a narrow column: `Sat 21`. */
export function dayOfMonth(at: Moment, { timeZone, language }: Clock): string {
  return formatter(withRegion(language), timeZone, { weekday: 'short', day: 'numeric' }).format(toDate(at));
}

/** Returns a short date: `21 Nov`. Includes the year if it differs from that of `beside`. */
export function shortDay(at: Moment, clock: Clock, reference: Moment): string {
  const other = dayKey(at, clock).slice(0, 4) !== dayKey(reference, clock).slice(0, 4);
  const form: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  if (other) form.year = 'numeric';
  return formatter(withRegion(clock.language), clock.timeZone, form).format(toDate(at));
}

/** Returns date and time, for pages that name the zone elsewhere: `Saturday 21 November 2026, 14:02`. */
export function dayAndTime(at: Moment, clock: Clock): string {
  return `${dayName(at, clock)}, ${clockTime(at, clock)}`;
}

/** Returns weekday and time, for places that show the date: `Saturday, 14:02`. */
export function weekdayAndTime(at: Moment, clock: Clock): string {
  const weekday = formatter(withRegion(clock.language), clock.timeZone, { weekday: 'long' });
  return `${weekday.format(toDate(at))}, ${clockTime(at, clock)}`;
}

/** Returns date, time and zone: `Saturday 21 November 2026, 14:02 GMT`. */
export function fullTime(at: Moment, clock: Clock): string {
  return `${dayAndTime(at, clock)} ${zoneName(at, clock)}`;
}

/** Returns the time, with the date if it differs from that of `reference`. For pages that name the zone elsewhere. */
export function shortTime(at: Moment, reference: Moment, clock: Clock): string {
  const time = clockTime(at, clock);
  return dayKey(at, clock) === dayKey(reference, clock) ? time : `${shortDay(at, clock, reference)}, ${time}`;
}

/** Returns time and zone, with the date if it differs from that of `reference`. */
export function timeRelativeTo(at: Moment, reference: Moment, clock: Clock): string {
  return `${shortTime(at, reference, clock)} ${zoneName(at, clock)}`;
}

/** English without a region is formatted as in Britain, with the day before the month. */
function withRegion(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

/** Returns the IANA names of all time zones. */
export const timeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Returns the IANA spelling of a name from a form; the text unchanged if it is not a known zone. */
export function timeZoneFrom(text: string): string {
  const name = text.trim();
  return timeZones().find((timeZone) => timeZone.toLowerCase() === name.toLowerCase()) ?? name;
}

/** Whether Intl knows the zone. The database decides which zones can be stored (`private.time_zones`). */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
