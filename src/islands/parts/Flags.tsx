import type { ReaderUpdate } from '../../lib/updates/update.ts';
import { useReaderMessages } from './readers-words.ts';

/** Urgency, key event and verification in words, because style alone is not accessible. */
export function Flags({ update }: { update: ReaderUpdate }) {
  const messages = useReaderMessages();
  const urgency = messages.urgency[update.urgency];
  const verification = messages.verification[update.verification];
  if (!urgency && !verification && !update.key_event) return null;
  return (
    <p className="flags">
      {urgency && <b className={update.urgency}>{urgency}</b>}
      {update.key_event && <b>{messages.keyEvent}</b>}
      {verification && <b className="doubt">{verification}</b>}
    </p>
  );
}
