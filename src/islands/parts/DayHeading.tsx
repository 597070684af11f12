import type { Clock } from '../../lib/time/clock.ts';
import { dayKey, dayName } from '../../lib/time/days.ts';

/** Heading above the first update of a day. */
export function DayHeading({ at, clock }: { at: string; clock: Clock }) {
  return (
    <h2 className="day" data-day={dayKey(at, clock)}>
      <time dateTime={dayKey(at, clock)}>{dayName(at, clock)}</time>
    </h2>
  );
}
