import { type Clock, clockTime, zoneName } from './clock.ts';
import { formatter, type Moment, toDate } from './formats.ts';

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
