import { deskClock } from '../../../lib/desk/clock.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { listed } from '../../../lib/text/plural.ts';
import { type Clock, clockTime, machineTime } from '../../../lib/time/clock.ts';
import { shortDay } from '../../../lib/time/days.ts';
import { EditedBy } from './EditedBy.tsx';
import type { RowProps } from './UpdateRow.tsx';

/** Time, state, number, byline and flags of an update. */
export function RowLine({ desk, update, context, isPinned }: RowProps) {
  const clock = deskClock({ time_zone: context.timeZone });
  const at = update.published_at ?? update.filed_at;
  return (
    <p className="row-line">
      <time dateTime={machineTime(at)}>
        <b>{clockTime(at, clock)}</b> {shortDay(at, clock, at)}
      </time>
      <b>
        {update.scheduled_for
          ? scheduledFor(update.scheduled_for, clock)
          : messages.updateStates[update.state]}
      </b>
      {update.number && (
        <a href={`/live/${context.slug}/${update.number}`}>{messages.list.number(update.number)}</a>
      )}
      {update.bylines.length > 0 && (
        <span className="by">
          {messages.list.by(listed(update.bylines.map((person) => person.display_name)))}
        </span>
      )}
      {flags(update, isPinned).map((flag) => (
        <b key={flag} className="flag">
          {flag}
        </b>
      ))}
      <EditedBy desk={desk} id={update.id} />
    </p>
  );
}

const scheduledFor = (at: string, clock: Clock) =>
  messages.schedule.stands(clockTime(at, clock), shortDay(at, clock, at), clock.timeZone);

function flags(update: RowProps['update'], isPinned: boolean): string[] {
  return [
    ...(isPinned ? [messages.list.pinned] : []),
    ...(update.urgency === 'normal' ? [] : [messages.urgencies[update.urgency]]),
    ...(update.key_event ? [messages.list.keyEvent] : []),
    ...(update.corrected_at ? [messages.list.corrected] : update.revised_at ? [messages.list.revised] : []),
  ];
}
