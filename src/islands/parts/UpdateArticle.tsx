import { type Folding, fold } from '../../lib/body/fold.ts';
import { type Clock, machineTime } from '../../lib/time/clock.ts';
import { dayKey, fullTime, timeBeside } from '../../lib/time/days.ts';
import type { ReaderUpdate } from '../../lib/updates/update.ts';
import { Body } from './Body.tsx';
import { Byline } from './Byline.tsx';
import { Flags } from './Flags.tsx';
import { type DrawPhoto, photosOf } from './PhotoFigure.tsx';
import { useReaderMessages } from './readers-words.ts';
import { Time } from './Time.tsx';
import { UpdateNotes } from './UpdateNotes.tsx';

type Props = Clock & {
  update: ReaderUpdate;
  /** Path of the update's own page. */
  href: string;
  /** Show a long body completely, on the update's own page. */
  whole?: boolean;
  /** Shown part of the body. By default a long body is folded. */
  folding?: Folding;
  /** Renders an unpublished photo in the desk's preview. */
  photo?: DrawPhoto;
};

/** One update as readers see it: in lists, on its own page, in changes responses and in the desk's preview. */
export function UpdateArticle({
  update,
  href,
  whole = false,
  folding,
  photo = photosOf(update),
  ...clock
}: Props) {
  const messages = useReaderMessages();
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
        <a href={href} aria-label={messages.permalink(number, fullTime(published_at, clock))}>
          <Time at={published_at} clock={clock} />
        </a>
      </p>
      {state === 'withdrawn' ? (
        <Tombstone update={update} clock={clock} />
      ) : (
        <Published
          update={update}
          clock={clock}
          whole={whole}
          photo={photo}
          folding={folding ?? foldingOf(update, whole)}
        />
      )}
      {folding?.more && (
        <p className="more">
          <a href={href} aria-label={messages.readOnOf(number)}>
            {messages.readOn}
          </a>
        </p>
      )}
    </article>
  );
}

function classOf({ state, key_event, urgency }: ReaderUpdate): string {
  if (state === 'withdrawn') return 'update withdrawn';
  return `update${key_event ? ' key' : ''}${urgency === 'urgent' ? ' urgent' : ''}`;
}

const foldingOf = ({ body }: ReaderUpdate, whole: boolean): Folding =>
  whole ? { shown: body, folded: [], more: false } : { ...fold(body), more: false };

type PartProps = { update: ReaderUpdate; clock: Clock };
type PublishedProps = PartProps & { whole: boolean; folding: Folding; photo: DrawPhoto };

function Published({ update, clock, whole, folding: { shown, folded }, photo }: PublishedProps) {
  const messages = useReaderMessages();
  return (
    <>
      <Flags update={update} />
      <Heading update={update} whole={whole} />
      <Body body={shown} photo={photo} />
      {folded.length > 0 && (
        <details>
          <summary>{messages.readOn}</summary>
          <Body body={folded} photo={photo} />
        </details>
      )}
      <UpdateNotes update={update} clock={clock} />
      <Byline update={update} clock={clock} />
    </>
  );
}

/** In a list the headline is below the day's heading. On the update's own page it is the page's required heading. */
function Heading({ update, whole }: { update: ReaderUpdate; whole: boolean }) {
  const messages = useReaderMessages();
  if (!whole) return update.headline && <h3>{update.headline}</h3>;
  if (update.headline) return <h1>{update.headline}</h1>;
  return <h1 className="visually-hidden">{messages.update(update.number)}</h1>;
}

function Tombstone({ update, clock }: PartProps) {
  const messages = useReaderMessages();
  return (
    <>
      <h3>
        <s>{messages.update(update.number)}</s> {messages.withdrawn}{' '}
        {update.withdrawn_at && (
          <time dateTime={machineTime(update.withdrawn_at)}>
            {timeBeside(update.withdrawn_at, update.published_at, clock)}
          </time>
        )}
      </h3>
      <p>{update.withdrawn_reason}</p>
    </>
  );
}
