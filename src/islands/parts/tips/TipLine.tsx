import { deskClock } from '../../../lib/desk/clock.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { type Clock, clockTime, machineTime, zoneName } from '../../../lib/time/clock.ts';
import { shortDay, timeBeside } from '../../../lib/time/days.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import { EditedBy } from '../desk/EditedBy.tsx';
import type { TipRowProps } from './TipRow.tsx';

/** The line that says where a tip stands: when it came, its state, who has it since when, what it is about. */
export function TipLine({ queue, tip, timeZone }: TipRowProps) {
  const clock = deskClock({ time_zone: timeZone });
  const { created_at: at, coverage } = tip;
  // At a coverage's own desk that is said already.
  const isOfOne = queue.place === coverage?.slug;
  return (
    <p className="row-line">
      <time dateTime={machineTime(at)}>
        <b>
          {clockTime(at, clock)} {zoneName(at, clock)}
        </b>{' '}
        {shortDay(at, clock, at)}
      </time>
      <b>{messages.states[tip.state]}</b>
      {tip.assigned && <span>{whoHas(tip, queue.me.id, clock)}</span>}
      {!isOfOne && coverage && (
        <a href={`/desk/${coverage.slug}`} dir="auto">
          {coverage.headline}
        </a>
      )}
      {!coverage && <span>{messages.noCoverage}</span>}
      <EditedBy desk={queue} id={tip.id} />
    </p>
  );
}

function whoHas({ state, assigned, taken_at, created_at }: QueueTip, me: string, clock: Clock): string {
  const name = assigned?.name ?? '';
  if (state !== 'in_review' || !taken_at) return messages.with.by(name);
  const since = timeBeside(taken_at, created_at, clock);
  return assigned?.id === me ? messages.with.you(since) : messages.with.other(name, since);
}
