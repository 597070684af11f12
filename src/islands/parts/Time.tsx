import { type Clock, clockTime, machineTime, zoneName } from '../../lib/time/clock.ts';

/** A time with its time zone. */
export function Time({ at, clock }: { at: string; clock: Clock }) {
  return (
    <>
      <time dateTime={machineTime(at)}>{clockTime(at, clock)}</time> <small>{zoneName(at, clock)}</small>
    </>
  );
}
