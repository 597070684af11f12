import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { readKeyEventLines } from '../updates/read.ts';
import type { KeyEvent } from '../updates/update.ts';

/** A day of a coverage, in its own zone. */
export type TimelineDay = {
  /** `1969-07-16` */
  day: string;
  /** Updates that are to be read. */
  updates: number;
  /** Its numbers, and when the first and the last of them went out. */
  first: number;
  last: number;
  first_at: string;
  last_at: string;
  /** In the order in which they happened. */
  events: KeyEvent[];
};

/** A day to be told, or days in a row on which nothing was a key event. */
export type TimelinePart =
  | { kind: 'day'; day: TimelineDay }
  | { kind: 'run'; days: [TimelineDay, ...TimelineDay[]] };

export type Timeline = {
  days: TimelineDay[];
  /** Key events on it. */
  events: number;
  /** There are older ones, which stand on the page of key events. */
  more: boolean;
};

/** Key events on one timeline: what a person can overlook, and more. */
const EVENTS = 300;

/** A coverage by its days, from the first on. */
export async function readTimeline(coverageId: string): Promise<Timeline> {
  const [days, found] = await Promise.all([
    dataOf(reader().rpc('coverage_days', { coverage_id: coverageId })),
    readKeyEventLines(coverageId, EVENTS + 1),
  ]);
  const events = found.slice(0, EVENTS).toReversed();
  return { days: withEvents(days, events), events: events.length, more: found.length > EVENTS };
}

/** @param events in the order of their numbers, as the days are */
export function withEvents(days: Omit<TimelineDay, 'events'>[], events: KeyEvent[]): TimelineDay[] {
  return days.map((day) => ({
    ...day,
    events: events.filter(({ number }) => number >= day.first && number <= day.last),
  }));
}

/** What a timeline tells, in its order: days without key events that follow each other are one line. */
export function partsOf(days: TimelineDay[]): TimelinePart[] {
  const parts: TimelinePart[] = [];
  for (const day of days) {
    const last = parts.at(-1);
    if (day.events.length > 0) parts.push({ kind: 'day', day });
    else if (last?.kind === 'run') last.days.push(day);
    else parts.push({ kind: 'run', days: [day] });
  }
  return parts;
}
