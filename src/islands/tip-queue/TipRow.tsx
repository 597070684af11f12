import { useCallback, useEffect, useRef, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import type { QueueTip } from '../../lib/data/tip-queue.ts';
import { isAssignedToOther, tipActionsOn } from '../../lib/data/tip-queue.ts';
import { contactHref } from '../../lib/data/tips.ts';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { type Clock, clockTime, machineTime, shortDay, shortTime } from '../../lib/domain/time.ts';
import type { TipActionName } from '../../lib/domain/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { TaskNote } from '../desk/controls.tsx';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { EditedBy } from '../update-list/UpdateRow.tsx';
import { isOutdated, runTipAction } from './actions.ts';
import { restoreFocusFrom, tipLabel, useDelayedState } from './hooks.ts';
import { HandOverPanel, RefusedPanel, ReopenPanel } from './panels.tsx';
import type { TipPanel, TipQueueStore } from './tip-queue.ts';
import { UsePanel } from './UsePanel.tsx';

/** Actions that this person may run on a tip, directly or in a panel. */
function TipActions({ queue, tip }: TipRowProps) {
  const messages = useMessages();
  const container = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useDelayedState(task);
  const actions = tipActionsOn(tip, queue.me.id);
  if (actions.length === 0) return null;

  const run = async (action: TipActionName) => {
    const { id } = tip;
    if (action === 'use' || action === 'handOver') return queue.$open.set({ id, panel: action });
    if (action === 'reopen' && tip.state === 'used') return queue.$open.set({ id, panel: 'reopen' });
    const isDone = await task.run(async () => {
      try {
        await runTipAction(messages, queue, tip, { kind: action });
      } catch (error) {
        // A colleague was faster: the row stays until the panel is closed.
        if (!(error instanceof Refused) || !isOutdated(error)) throw error;
        queue.$open.set({ id, panel: 'refused', refusal: error.refusal });
      }
    });
    if (isDone) restoreFocusFrom(container.current);
  };
  return (
    <>
      <div className="tip-acts" ref={container}>
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            aria-label={messages.desk.about(messages.tipQueue.acts[action], tipLabel(tip))}
            onClick={() => run(action)}
          >
            {messages.tipQueue.acts[action]}
          </button>
        ))}
      </div>
      <TaskNote state={state} slug={queue.deskPath} />
    </>
  );
}

/** Time, state, assignment and coverage of a tip. */
function TipLine({ queue, tip, timeZone }: TipRowProps) {
  const messages = useMessages();
  const clock = deskClock(messages, { time_zone: timeZone });
  const { created_at: at, coverage } = tip;
  // The coverage's own desk does not repeat its headline.
  const isOwnDesk = queue.deskPath === coverage?.slug;
  return (
    <p className="row-line">
      <time dateTime={machineTime(at)}>
        <b>{clockTime(at, clock)}</b> {shortDay(at, clock, at)}
      </time>
      <b>{messages.tipQueue.states[tip.state]}</b>
      {tip.assigned && <span>{assignmentText(messages, tip, queue.me.id, clock)}</span>}
      {!isOwnDesk && coverage && (
        <a href={`/desk/${coverage.slug}`} dir="auto">
          {coverage.headline}
        </a>
      )}
      {!coverage && <span>{messages.tipQueue.noCoverage}</span>}
      <EditedBy presence={queue.presence} id={tip.id} />
    </p>
  );
}

function assignmentText(
  messages: DeskMessages,
  { state, assigned, review_started_at, created_at }: QueueTip,
  me: string,
  clock: Clock,
): string {
  const name = assigned?.name ?? '';
  if (state !== 'in_review' || !review_started_at) return messages.tipQueue.with.by(name);
  const sinceTime = shortTime(review_started_at, created_at, clock);
  return assigned?.id === me
    ? messages.tipQueue.with.you(sinceTime)
    : messages.tipQueue.with.other(name, sinceTime);
}

type Props = { queue: TipQueueStore; photo: NonNullable<QueueTip['photo']> };

/** Photo of a tip, shown only on request, because it may be disturbing. */
function TipPhotoButton({ queue, photo }: Props) {
  const messages = useMessages();
  const element = useRef<HTMLDetailsElement>(null);
  const { id, state, width, height, renditions } = photo;
  const markSeen = () => {
    if (!queue.$seen.get().has(id)) queue.$seen.set(new Set([...queue.$seen.get(), id]));
  };
  // The photo may have been opened before the script started.
  useEffect(() => {
    const image = element.current?.querySelector('img');
    if (element.current?.open && image?.complete && image.naturalWidth > 0) markSeen();
  });
  if (state !== 'ready') {
    return (
      <p className="help">
        {state === 'uploading' ? messages.tipQueue.photo.uploading : messages.tipQueue.photo.refused}
      </p>
    );
  }
  return (
    <details className="tip-photo" ref={element}>
      <summary data-action="photo">
        <span>{messages.tipQueue.photo.show}</span> <small>{messages.tipQueue.photo.caution}</small>
      </summary>
      <img
        src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
        srcSet={renditions.length > 1 ? srcSet(id, renditions.length) : undefined}
        sizes="(min-width: 40rem) 30rem, 100vw"
        alt={messages.tipQueue.photo.alt}
        width={width ?? undefined}
        height={height ?? undefined}
        loading="lazy"
        decoding="async"
        onLoad={markSeen}
      />
    </details>
  );
}

const srcSet = (id: string, renditions: number) =>
  PHOTO_WIDTHS.slice(0, renditions)
    .map((width) => `${deskPhotoPath(id, width)} ${width}w`)
    .join(', ');

/** Characters and lines beyond which a text is folded. */
const FOLD_LENGTH = 500;
const FOLD_LINES = 8;

const isLong = (body: string) => body.length > FOLD_LENGTH || body.split('\n').length > FOLD_LINES;

/** Text and sender of a tip. Without a script nothing is folded. */
function TipText({ tip }: { tip: QueueTip }) {
  const messages = useMessages();
  const [isUnfolded, setUnfolded] = useState(false);
  const { body, used_in: used } = tip;
  const folds = isLong(body);
  return (
    <>
      <div className={`words tip-words${folds && !isUnfolded ? ' folded' : ''}`}>
        <p className="lines" dir="auto">
          {body}
        </p>
      </div>
      {folds && (
        <button
          type="button"
          className="quiet tip-fold"
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {isUnfolded ? messages.tipQueue.less : messages.tipQueue.whole}
        </button>
      )}
      {tip.held && <p className="tip-held">{messages.tipQueue.held[tip.suspicion ?? 'flood']}</p>}
      <Sender tip={tip} />
      {used && (
        <p className="help">
          <a
            href={
              used.number === null
                ? `/desk/${used.coverage_slug}#update-${used.update_id}`
                : `/live/${used.coverage_slug}/${used.number}`
            }
          >
            {usedMessage(messages, used)}
          </a>
        </p>
      )}
    </>
  );
}

function usedMessage(messages: DeskMessages, { number, state }: NonNullable<QueueTip['used_in']>): string {
  if (state === 'withdrawn') return messages.tipQueue.used.withdrawn;
  return number === null ? messages.tipQueue.used.draft : messages.tipQueue.used.number(number);
}

/** Name of the sender, whether it may be published, and contact, as a link where possible. */
function Sender({ tip: { name, contact, may_be_named } }: { tip: QueueTip }) {
  const messages = useMessages();
  const href = contact && contactHref(contact);
  return (
    <p className="tip-sender">
      <span>
        {name && <bdi>{name}</bdi>}{' '}
        {name
          ? messages.tipQueue.sender[may_be_named ? 'publish' : 'private']
          : messages.tipQueue.sender.none}
      </span>{' '}
      {contact ? (
        <span>
          {messages.tipQueue.sender.reach}{' '}
          {href ? <a href={href}>{contact}</a> : <span dir="auto">{contact}</span>}
        </span>
      ) : (
        <span>{messages.tipQueue.sender.noContact}</span>
      )}
    </p>
  );
}

type TipRowProps = {
  queue: TipQueueStore;
  tip: QueueTip;
  /** Time zone of the times. */
  timeZone: string;
  /** Panel that is open in the row. */
  open: TipPanel | null;
};

/** One tip: state, text and, within reach of a thumb, its actions. */
export function TipRow(props: TipRowProps) {
  const messages = useMessages();
  const { queue, tip, open } = props;
  const row = useRef<HTMLLIElement>(null);
  const onClose = useCallback(() => {
    queue.$open.set(null);
    queue.list.showAll();
    row.current?.focus();
  }, [queue]);
  return (
    <li
      ref={row}
      id={tip.id}
      tabIndex={-1}
      className={`tip-row${ownershipClass(tip, queue.me.id)}`}
      aria-label={`${messages.tipQueue.states[tip.state]}: ${tipLabel(tip)}`}
    >
      <TipLine {...props} />
      <TipText tip={tip} />
      {tip.photo && <TipPhotoButton queue={queue} photo={tip.photo} />}
      {!open && <TipActions {...props} />}
      {open?.panel === 'use' && <UsePanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'handOver' && <HandOverPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'reopen' && <ReopenPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'refused' && (
        <RefusedPanel queue={queue} tip={tip} refusal={open.refusal} onClose={onClose} />
      )}
    </li>
  );
}

/** Class name that tells own tips from those of colleagues. */
function ownershipClass(tip: QueueTip, me: string): string {
  if (tip.state !== 'in_review') return '';
  return isAssignedToOther(tip, me) ? ' others' : ' mine';
}
