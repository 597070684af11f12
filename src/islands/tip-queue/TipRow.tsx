import { useCallback, useEffect, useRef, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import { actsOn, isOthers } from '../../lib/data/tip-actions.ts';
import { contactHref } from '../../lib/data/tip-form.ts';
import type { QueueTip } from '../../lib/data/tip-queue.ts';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { type Clock, clockTime, machineTime, shortDay, timeBeside, zoneName } from '../../lib/domain/time.ts';
import type { TipAct } from '../../lib/domain/tips.ts';
import { desk } from '../../lib/i18n/desk.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { tipQueue as messages } from '../../lib/i18n/tip-queue.ts';
import { TaskNote } from '../desk/controls.tsx';
import { makeTask } from '../desk/task.ts';
import { EditedBy } from '../update-list/UpdateRow.tsx';
import { doToTip, wasQuicker } from './actions.ts';
import { goOnFrom, nameOfTip, useLate } from './hooks.ts';
import { HandOverPanel, RefusedPanel, ReopenPanel } from './panels.tsx';
import type { TipPanel, TipQueue } from './tip-queue.ts';
import { UsePanel } from './UsePanel.tsx';

/** What this person may do with a tip: most by one press, some in a panel in its place. */
export function TipActs({ queue, tip }: TipRowProps) {
  const place = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useLate(task);
  const acts = actsOn(tip, queue.me.id);
  if (acts.length === 0) return null;

  const act = async (what: TipAct) => {
    const { id } = tip;
    if (what === 'use' || what === 'handOver') return queue.$open.set({ id, panel: what });
    if (what === 'reopen' && tip.state === 'used') return queue.$open.set({ id, panel: 'reopen' });
    const isDone = await task.run(async () => {
      try {
        await doToTip(queue, tip, { act: what });
      } catch (error) {
        // Somebody was quicker: the row stays, as it is now, until that was read.
        if (!(error instanceof Refused) || !wasQuicker(error)) throw error;
        queue.$open.set({ id, panel: 'refused', refusal: error.refusal });
      }
    });
    if (isDone) goOnFrom(place.current);
  };
  return (
    <>
      <div className="tip-acts" ref={place}>
        {acts.map((what) => (
          <button
            key={what}
            type="button"
            data-action={what}
            aria-label={desk.about(messages.acts[what], nameOfTip(tip))}
            onClick={() => act(what)}
          >
            {messages.acts[what]}
          </button>
        ))}
      </div>
      <TaskNote state={state} slug={queue.place} />
    </>
  );
}

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

type Props = { queue: TipQueue; photo: NonNullable<QueueTip['photo']> };

/** The photo that came with a tip: nobody has to see it who has not asked for it. */
export function TipPhoto({ queue, photo }: Props) {
  const place = useRef<HTMLDetailsElement>(null);
  const { id, state, width, height, prints } = photo;
  const seen = () => {
    if (!queue.$seen.get().has(id)) queue.$seen.set(new Set([...queue.$seen.get(), id]));
  };
  // It may have been opened before this was listened for.
  useEffect(() => {
    const image = place.current?.querySelector('img');
    if (place.current?.open && image?.complete && image.naturalWidth > 0) seen();
  });
  if (state !== 'ready') {
    return <p className="help">{state === 'arriving' ? messages.photo.arriving : messages.photo.refused}</p>;
  }
  return (
    <details className="tip-photo" ref={place}>
      <summary data-action="photo">
        {messages.photo.show} <small>{messages.photo.caution}</small>
      </summary>
      <img
        src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
        srcSet={prints.length > 1 ? srcSet(id, prints.length) : undefined}
        sizes="(min-width: 40rem) 30rem, 100vw"
        alt={messages.photo.alt}
        width={width ?? undefined}
        height={height ?? undefined}
        loading="lazy"
        decoding="async"
        onLoad={seen}
      />
    </details>
  );
}

const srcSet = (id: string, prints: number) =>
  PHOTO_WIDTHS.slice(0, prints)
    .map((width) => `${deskPhotoPath(id, width)} ${width}w`)
    .join(', ');

/** More than so many characters, or lines, are folded until they are asked for. */
const LONG = 500;
const LINES = 8;

const isLong = (body: string) => body.length > LONG || body.split('\n').length > LINES;

/** What a tip says, and who says it. Without a script nothing is folded. */
export function TipWords({ tip }: { tip: QueueTip }) {
  const [isWhole, setWhole] = useState(false);
  const { body, used } = tip;
  const folds = isLong(body);
  return (
    <>
      <div className={`words tip-words${folds && !isWhole ? ' folded' : ''}`}>
        <p className="lines" dir="auto">
          {body}
        </p>
      </div>
      {folds && (
        <button
          type="button"
          className="quiet tip-fold"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? messages.less : messages.whole}
        </button>
      )}
      {tip.held && <p className="tip-held">{messages.held[tip.suspect ?? 'flood']}</p>}
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
            {saysOf(used)}
          </a>
        </p>
      )}
    </>
  );
}

function saysOf({ number, state }: NonNullable<QueueTip['used']>): string {
  if (state === 'withdrawn') return messages.used.withdrawn;
  return number === null ? messages.used.draft : messages.used.number(number);
}

/** Who sent it, whether the name may be said, and how they are reached: by a press where that can be. */
function Sender({ tip: { name, contact, may_name } }: { tip: QueueTip }) {
  const href = contact && contactHref(contact);
  return (
    <p className="tip-sender">
      <span>
        {name && <bdi>{name}</bdi>}{' '}
        {name ? messages.sender[may_name ? 'publish' : 'private'] : messages.sender.none}
      </span>{' '}
      {contact ? (
        <span>
          {messages.sender.reach} {href ? <a href={href}>{contact}</a> : <span dir="auto">{contact}</span>}
        </span>
      ) : (
        <span>{messages.sender.noContact}</span>
      )}
    </p>
  );
}

export type TipRowProps = {
  queue: TipQueue;
  tip: QueueTip;
  /** Whose clocks the times are told by. */
  timeZone: string;
  /** What is open in its place. */
  open: TipPanel | null;
};

/** One tip: where it stands, what it says, and at its foot, where a thumb is, what may be done with it. */
export function TipRow(props: TipRowProps) {
  const { queue, tip, open } = props;
  const row = useRef<HTMLLIElement>(null);
  const onClose = useCallback(() => {
    queue.$open.set(null);
    queue.list.letGo();
    row.current?.focus();
  }, [queue]);
  return (
    <li
      ref={row}
      id={tip.id}
      tabIndex={-1}
      className={`tip-row${whose(tip, queue.me.id)}`}
      aria-label={`${messages.states[tip.state]}: ${nameOfTip(tip)}`}
    >
      <TipLine {...props} />
      <TipWords tip={tip} />
      {tip.photo && <TipPhoto queue={queue} photo={tip.photo} />}
      {!open && <TipActs {...props} />}
      {open?.panel === 'use' && <UsePanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'handOver' && <HandOverPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'reopen' && <ReopenPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'refused' && (
        <RefusedPanel queue={queue} tip={tip} refusal={open.refusal} onClose={onClose} />
      )}
    </li>
  );
}

/** Who has it, for the style sheet. */
function whose(tip: QueueTip, me: string): string {
  if (tip.state !== 'in_review') return '';
  return isOthers(tip, me) ? ' others' : ' mine';
}
