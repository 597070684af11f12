import type { ReactNode } from 'react';
import { type FoldedBody, fold } from '../../lib/domain/body/fold.ts';
import {
  type Clock,
  clockTime,
  dayAndTime,
  dayKey,
  dayName,
  machineTime,
  shortTime,
} from '../../lib/domain/time.ts';
import type { Byline as Person, ReaderUpdate } from '../../lib/domain/updates.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { BodyBlocks, type DrawPhoto, type DrawPlayer, type MapPicture, photosOf } from './BodyBlocks.tsx';

/** Messages for readers, in the language of the page or of the previewed coverage. */
type ReaderMessages = Messages['reader'];

/** Line under an update with bylines, dateline, source and time of the last revision. The children follow them. */
export function UpdateByline({ messages, update, clock, children }: PartProps & { children?: ReactNode }) {
  const { bylines, dateline, attribution, occurred_at, revised_at, notes } = update;
  const revised = revised_at && notes.length === 0 ? revised_at : null;
  if (bylines.length === 0 && !dateline && !attribution && !occurred_at && !revised && !children) return null;
  return (
    <p className="by">
      {bylines.length > 0 && (
        <span>
          {messages.by} <People messages={messages} people={bylines} />
        </span>
      )}
      {dateline && <span>{dateline}</span>}
      {attribution && <span>{messages.source(attribution)}</span>}
      {occurred_at && <span>{messages.happened(dayAndTime(occurred_at, clock))}</span>}
      {revised && <span>{messages.revised(shortTime(revised, update.published_at, clock))}</span>}
      {children}
    </p>
  );
}

function People({ messages, people }: { messages: ReaderMessages; people: Person[] }) {
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

/** Urgency, key event and verification in words, because style alone is not accessible. */
export function Flags({ messages, update }: Omit<PartProps, 'clock'>) {
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

/** A time without its zone, which the page names once. */
export function Time({ at, clock }: { at: string; clock: Clock }) {
  return <time dateTime={machineTime(at)}>{clockTime(at, clock)}</time>;
}

/** Corrections and clarifications of an update in chronological order. */
export function UpdateNotes({ messages, update, clock }: PartProps) {
  return update.notes.map(({ version, kind, note, at }) => (
    <p key={version} className="note">
      <b>{messages.note[kind]}</b>{' '}
      <time dateTime={machineTime(at)}>{shortTime(at, update.published_at, clock)}</time> {note}
    </p>
  ));
}

type Props = Clock & {
  messages: ReaderMessages;
  update: ReaderUpdate;
  /** Path of the update's own page. */
  href: string;
  /** Show a long body completely, on the update's own page. */
  whole?: boolean;
  /** Whether to add a link that the page's script shares. */
  canShare?: boolean;
  /** Shown part of the body. By default a long body is folded. */
  folding?: FoldedBody;
  /** Renders an unpublished photo in the desk's preview. */
  photo?: DrawPhoto;
  mapPicture?: MapPicture;
  /** Renders players. Without it, videos and recordings are links. */
  player?: DrawPlayer;
  /** Whether staff read it, in the desk's preview. */
  atDesk?: boolean;
};

/** One update as readers see it: in lists, on its own page, in changes responses and in the desk's preview. */
export function UpdateArticle({
  messages,
  update,
  href,
  whole = false,
  canShare = false,
  folding,
  photo = photosOf(update, messages),
  mapPicture,
  player,
  atDesk,
  ...clock
}: Props) {
  const { number, seq, state, published_at } = update;
  return (
    <article
      id={`update-${number}`}
      data-number={number}
      data-seq={seq}
      data-day={dayKey(published_at, clock)}
      className={classOf(update)}
    >
      <p className="when">
        <a href={href} aria-label={messages.permalink(number, dayAndTime(published_at, clock))}>
          <Time at={published_at} clock={clock} />
        </a>
      </p>
      {state === 'withdrawn' ? (
        <Tombstone messages={messages} update={update} clock={clock} />
      ) : (
        <Published
          messages={messages}
          update={update}
          clock={clock}
          whole={whole}
          photo={photo}
          mapPicture={mapPicture}
          player={player}
          atDesk={atDesk}
          folding={folding ?? foldingOf(update, whole)}
        >
          {canShare && (
            <a className="share" href={href} aria-label={messages.shareUpdate(number)}>
              {messages.share}
            </a>
          )}
        </Published>
      )}
      {folding?.more && (
        <p className="more">
          <a href={href}>{messages.readOnOf(number, folding.omitted)}</a>
        </p>
      )}
    </article>
  );
}

function classOf({ state, key_event, urgency }: ReaderUpdate): string {
  if (state === 'withdrawn') return 'update withdrawn';
  return `update${key_event ? ' key' : ''}${urgency === 'urgent' ? ' urgent' : ''}`;
}

const foldingOf = ({ body }: ReaderUpdate, whole: boolean): FoldedBody =>
  whole ? { shown: body, folded: [], more: false } : { ...fold(body), more: false };

type PartProps = { messages: ReaderMessages; update: ReaderUpdate; clock: Clock };
type PublishedProps = PartProps & {
  whole: boolean;
  folding: FoldedBody;
  photo: DrawPhoto;
  mapPicture?: MapPicture;
  player: DrawPlayer | undefined;
  atDesk: boolean | undefined;
  /** Stands at the end of the byline. */
  children: ReactNode;
};

function Published({ messages, update, clock, whole, folding, children, ...pictures }: PublishedProps) {
  const { shown, folded } = folding;
  const formatTime = (at: string) => shortTime(at, update.published_at, clock);
  return (
    <>
      <Flags messages={messages} update={update} />
      <Heading messages={messages} update={update} whole={whole} />
      <BodyBlocks messages={messages} formatTime={formatTime} body={shown} {...pictures} />
      {folded.length > 0 && (
        <details>
          <summary>{messages.readOn}</summary>
          <BodyBlocks messages={messages} formatTime={formatTime} body={folded} {...pictures} />
        </details>
      )}
      <UpdateNotes messages={messages} update={update} clock={clock} />
      <UpdateByline messages={messages} update={update} clock={clock}>
        {children}
      </UpdateByline>
    </>
  );
}

/** In a list the headline is below the day's heading. On the update's own page it is the page's required heading. */
function Heading({ messages, update, whole }: Omit<PartProps, 'clock'> & { whole: boolean }) {
  if (!whole) return update.headline && <h3>{update.headline}</h3>;
  if (update.headline) return <h1>{update.headline}</h1>;
  return <h1 className="visually-hidden">{messages.update(update.number)}</h1>;
}

function Tombstone({ messages, update, clock }: PartProps) {
  return (
    <>
      <h3>
        <s>{messages.update(update.number)}</s> {messages.withdrawn}{' '}
        {update.withdrawn_at && (
          <time dateTime={machineTime(update.withdrawn_at)}>
            {shortTime(update.withdrawn_at, update.published_at, clock)}
          </time>
        )}
      </h3>
      <p>{update.withdrawn_reason}</p>
    </>
  );
}

/** Heading above the first update of a day. */
export function DayHeading({ at, clock }: { at: string; clock: Clock }) {
  return (
    <h2 className="day" data-day={dayKey(at, clock)}>
      <time dateTime={dayKey(at, clock)}>{dayName(at, clock)}</time>
    </h2>
  );
}
