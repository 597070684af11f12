import { reader as messages } from '../../lib/text/reader.ts';
import { type Clock, machineTime } from '../../lib/time/clock.ts';
import { timeBeside } from '../../lib/time/days.ts';
import type { ReaderUpdate } from '../../lib/updates/update.ts';

/** Corrections and clarifications of an update in chronological order. */
export function UpdateNotes({ update, clock }: { update: ReaderUpdate; clock: Clock }) {
  return update.notes.map(({ version, kind, note, at }) => (
    <p key={version} className="note">
      <b>{messages.note[kind]}</b>{' '}
      <time dateTime={machineTime(at)}>{timeBeside(at, update.published_at, clock)}</time> {note}
    </p>
  ));
}
