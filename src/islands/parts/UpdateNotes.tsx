import { reader as words } from '../../lib/text/reader.ts';
import { type Clock, clockTime, machineTime, zoneName } from '../../lib/time/clock.ts';
import type { UpdateNote } from '../../lib/updates/update.ts';

/** Corrections and clarifications of an update, in the open and in the order in which they were made. */
export function UpdateNotes({ notes, clock }: { notes: UpdateNote[]; clock: Clock }) {
  return notes.map(({ version, kind, note, at }) => (
    <p key={version} className="note">
      <b>{words.note[kind]}</b>{' '}
      <time dateTime={machineTime(at)}>
        {clockTime(at, clock)} {zoneName(at, clock)}
      </time>{' '}
      {note}
    </p>
  ));
}
