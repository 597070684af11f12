import { useStore } from '@nanostores/react';
import { clockOf } from '../../../lib/coverage/coverage.ts';
import type { DeskCoverage } from '../../../lib/desk/coverage.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { type Clock, clockTime, machineTime } from '../../../lib/time/clock.ts';
import { shortDay } from '../../../lib/time/days.ts';
import type { Desk } from '../../stores/desk.ts';
import { EditedBy } from './EditedBy.tsx';

/** The line that says where an update stands: its time, its state, its number, who, and what sets it apart. */
export function RowLine({ desk, update }: { desk: Desk; update: DeskUpdate }) {
  const coverage = useStore(desk.$coverage);
  const clock = clockOf(coverage);
  const at = update.published_at ?? update.filed_at;
  return (
    <p className="row-line">
      <time dateTime={machineTime(at)}>
        <b>{clockTime(at, clock)}</b> {shortDay(at, clock, at)}
      </time>
      <b>
        {update.scheduled_for ? scheduledFor(update.scheduled_for, clock) : words.updateStates[update.state]}
      </b>
      {update.number && (
        <a href={`/live/${coverage.slug}/${update.number}`}>{words.list.number(update.number)}</a>
      )}
      {update.bylines.length > 0 && (
        <span>{words.list.by(update.bylines.map((person) => person.display_name).join(', '))}</span>
      )}
      {flags(update, coverage).map((flag) => (
        <b key={flag} className="flag">
          {flag}
        </b>
      ))}
      <EditedBy desk={desk} id={update.id} />
    </p>
  );
}

const scheduledFor = (at: string, clock: Clock) =>
  words.schedule.stands(clockTime(at, clock), shortDay(at, clock, at), clock.timeZone);

function flags(update: DeskUpdate, coverage: DeskCoverage): string[] {
  return [
    ...(coverage.pinned_update === update.id ? [words.list.pinned] : []),
    ...(update.urgency === 'normal' ? [] : [words.urgencies[update.urgency]]),
    ...(update.key_event ? [words.list.keyEvent] : []),
    ...(update.corrected_at ? [words.list.corrected] : update.revised_at ? [words.list.revised] : []),
  ];
}
