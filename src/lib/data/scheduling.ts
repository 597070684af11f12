import { LIMITS } from '../domain/limits.ts';
import { clockChange, DAY_MS, utcFromLocal } from '../domain/local-time.ts';
import { type Clock, fullTime } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';

/** Validates a publication time by the rules of the database. */
export function publicationTimeProblem(
  messages: Pick<Messages, 'desk'>,
  local: string,
  timeZone: string,
  now = Date.now(),
): string | undefined {
  const at = utcFromLocal(local, timeZone);
  if (at === null) return messages.desk.schedule.noTime;
  if (Date.parse(at) <= now) return messages.desk.schedule.past;
  if (Date.parse(at) > now + LIMITS.schedule_days * DAY_MS)
    return messages.desk.schedule.tooFar(LIMITS.schedule_days);
  return undefined;
}

/** Explains which time is meant if the zone's clocks change at that time; undefined otherwise. */
export function clockNote(
  messages: Pick<Messages, 'composer' | 'language'>,
  local: string,
  timeZone: string,
): string | undefined {
  const change = clockChange(local, timeZone);
  const at = utcFromLocal(local, timeZone);
  return change && at
    ? messages.composer.clocks[change](fullTime(at, { timeZone, language: messages.language }))
    : undefined;
}

/** Returns the clock for times at the desk: the coverage's zone, the language of the interface. */
export const deskClock = (
  { language }: Pick<Messages, 'language'>,
  { time_zone }: { time_zone: string },
): Clock => ({
  timeZone: time_zone,
  language,
});
