import { LIMITS } from '../limits.ts';
import { composer } from '../text/composer.ts';
import { desk } from '../text/desk.ts';
import { currentLanguage } from '../text/language.ts';
import { clockTime } from '../time/clock.ts';
import { dayKey, fullTime } from '../time/days.ts';
import { clockChange, zonedTime } from './zoned-time.ts';

/** A moment as a form's field of date and time holds it: `2026-11-21T14:05`, by the clocks of a zone. */
export function localTime(at: string, timeZone: string): string {
  const clock = { timeZone, language: 'en' };
  return `${dayKey(at, clock)}T${clockTime(at, clock)}`;
}

const DAY_MS = 24 * 3600 * 1000;

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
