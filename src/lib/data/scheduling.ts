import { LIMITS } from '../domain/limits.ts';
import { type Clock, clockTime, dayKey, fullTime } from '../domain/time.ts';
import { composer } from '../i18n/composer.ts';
import { desk } from '../i18n/desk.ts';
import { currentLanguage } from '../i18n/language.ts';

/**
 * The moment at which clocks in a zone show a date and time.
 * @param local as a form gives it: `2026-11-21T14:05`
 * @returns ISO 8601 in UTC; null when the text is no such time. A time that a zone skips is moved on, of one
 *   that it has twice the first is meant.
 */
export function zonedTime(local: string, timeZone: string): string | null {
  return momentsOf(local, timeZone)?.meant ?? null;
}

/** Whether clocks in a zone never show a date and time, or show it twice, because they are changed then. */
export function clockChange(local: string, timeZone: string): 'skipped' | 'twice' | null {
  const count = momentsOf(local, timeZone)?.count ?? 1;
  return count === 1 ? null : count === 0 ? 'skipped' : 'twice';
}

function momentsOf(local: string, timeZone: string): { meant: string; count: number } | null {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/.exec(local);
  const asUtc = parts ? Date.parse(`${parts[1]}Z`) : Number.NaN;
  // A 30th of February would be read as the 2nd of March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(`${parts?.[1]}`)) return null;
  // The zone's offset changes at most once within a day: that of the day before and of the day after are all there can be.
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map((near) => asUtc - offset(near, timeZone));
  const exact = new Set(candidates.filter((moment) => moment + offset(moment, timeZone) === asUtc));
  const meant = exact.size > 0 ? Math.min(...exact) : Math.max(...candidates);
  return { meant: new Date(meant).toISOString(), count: exact.size };
}

const DAY_MS = 24 * 3600 * 1000;

/** How far ahead of UTC a zone's clocks are at a moment, in milliseconds. */
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

/** A moment as a form's field of date and time holds it: `2026-11-21T14:05`, by the clocks of a zone. */
export function localTime(at: string, timeZone: string): string {
  const clock = { timeZone, language: 'en' };
  return `${dayKey(at, clock)}T${clockTime(at, clock)}`;
}

/** What the database would refuse of a time to go out at, told before it is asked. */
export function timeProblem(local: string, timeZone: string, now = Date.now()): string | undefined {
  const at = zonedTime(local, timeZone);
  if (at === null) return desk.schedule.noTime;
  if (Date.parse(at) <= now) return desk.schedule.past;
  if (Date.parse(at) > now + LIMITS.schedule_days * DAY_MS) return desk.schedule.tooFar(LIMITS.schedule_days);
  return undefined;
}

/** What is meant by a time at which the clocks of a zone are changed, in a sentence; nothing of any other. */
export function clockNote(local: string, timeZone: string): string | undefined {
  const change = clockChange(local, timeZone);
  const at = zonedTime(local, timeZone);
  return change && at
    ? composer.clocks[change](fullTime(at, { timeZone, language: currentLanguage() }))
    : undefined;
}

/** How the desk tells a coverage's times: by the coverage's clocks, in the language that the desk speaks. */
export const deskClock = ({ time_zone }: { time_zone: string }): Clock => ({
  timeZone: time_zone,
  language: currentLanguage(),
});
