import type { Clock } from '../../lib/time/clock.ts';
import { fullTime, timeBeside } from '../../lib/time/days.ts';
import type { Byline as Person, ReaderUpdate } from '../../lib/updates/update.ts';
import { useReaderMessages } from './readers-words.ts';

/** Line under an update with bylines, dateline, source and time of the last revision. */
export function Byline({ update, clock }: { update: ReaderUpdate; clock: Clock }) {
  const messages = useReaderMessages();
  const { bylines, dateline, attribution, occurred_at, revised_at, notes } = update;
  const revised = revised_at && notes.length === 0 ? revised_at : null;
  if (bylines.length === 0 && !dateline && !attribution && !occurred_at && !revised) return null;
  return (
    <p className="by">
      {bylines.length > 0 && (
        <span>
          {messages.by} <People people={bylines} />
        </span>
      )}
      {dateline && <span>{dateline}</span>}
      {attribution && <span>{messages.source(attribution)}</span>}
      {occurred_at && <span>{messages.happened(fullTime(occurred_at, clock))}</span>}
      {revised && <span>{messages.revised(timeBeside(revised, update.published_at, clock))}</span>}
    </p>
  );
}

function People({ people }: { people: Person[] }) {
  const messages = useReaderMessages();
  const names = people.map(({ display_name }) => display_name);
  const rest = [...people];
  return messages.people(names).map(({ type, value }) => {
    const person = type === 'element' ? rest.shift() : undefined;
    if (!person) return value;
    return (
      <a key={person.handle} href={`/people/${person.handle}`}>
        {value}
      </a>
    );
  });
}
