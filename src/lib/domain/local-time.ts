import { clockTime, dayKey } from './time.ts';

/**
 * Converts a local date and time to UTC.
 * @param local value of a form field: `2026-11-21T14:05`
 * @returns ISO 8601 in UTC; null if the text is not a valid time. A time that the zone skips is moved forward; of a
 * repeated time, the first one is used.
 */
export function utcFromLocal(local: string, timeZone: string): string | null {
  return utcCandidates(local, timeZone)?.chosen ?? null;
}

/** Whether a zone skips or repeats a local time because its clocks change. */
export function clockChange(local: string, timeZone: string): 'skipped' | 'twice' | null {
  const count = utcCandidates(local, timeZone)?.count ?? 1;
  return count === 1 ? null : count === 0 ? 'skipped' : 'twice';
}

function utcCandidates(local: string, timeZone: string): { chosen: string; count: number } | null {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/.exec(local);
  const asUtc = parts ? Date.parse(`${parts[1]}Z`) : Number.NaN;
  // Date would read February 30 as March 2.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(`${parts?.[1]}`)) return null;
  // An offset changes at most once within a day, so the offsets of the day before and after are the only candidates.
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map((near) => asUtc - offset(near, timeZone));
  const exact = new Set(candidates.filter((moment) => moment + offset(moment, timeZone) === asUtc));
  const chosen = exact.size > 0 ? Math.min(...exact) : Math.max(...candidates);
  return { chosen: new Date(chosen).toISOString(), count: exact.size };
}

export const DAY_MS = 24 * 3600 * 1000;

/** Returns the offset of a zone from UTC at a moment, in milliseconds. */
function offset(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const shown = Date.parse(
    `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`,
  );
  return shown - Math.floor(moment / 1000) * 1000;
}

/** Formats a time for a date and time field, in a zone: `2026-11-21T14:05`. */
export function localTime(at: string, timeZone: string): string {
  const clock = { timeZone, language: 'en' };
  return `${dayKey(at, clock)}T${clockTime(at, clock)}`;
}
