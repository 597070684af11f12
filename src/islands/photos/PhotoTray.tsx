import { useState } from 'react';
import {
  type FormPhoto,
  type PhotoProblems,
  type PhotoWords,
  photoContent,
} from '../../lib/data/photo-form.ts';
import { characters } from '../../lib/data/update-form.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { composer } from '../../lib/i18n/composer.ts';
import { deskPhotos as messages, photoRefusal } from '../../lib/i18n/desk-photos.ts';
import { Field, TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useShared } from '../desk/hooks.ts';
import { makeTask } from '../desk/task.ts';
import type { Editor } from '../editor/editor.ts';
import { removePhotoFromDraft } from '../editor/editor-photos.ts';
import { PhotoCaption } from '../update/Body.tsx';
import type { PhotoStatus } from './photo-status.ts';

type PhotoProgressProps = {
  status: PhotoStatus;
  /** What the photo is for, where that is not plain. */
  about?: string;
};

/** How far a photo has come, in words and, while it is being sent, as a bar. Nothing here is announced: it moves too often. */
export function PhotoProgress({ status, about }: PhotoProgressProps) {
  const { step, sent, refusal } = status;
  const isRefused = step === 'refused';
  const how = isRefused
    ? photoRefusal(refusal)
    : step === 'sending'
      ? messages.sending(sent)
      : messages.steps[step];
  return (
    <>
      <p className={isRefused ? 'photo-step refused-photo' : 'photo-step'}>
        {about ? messages.tray.about(about, how) : how}
      </p>
      {step === 'sending' && <progress max={100} value={sent} aria-label={messages.progress} />}
    </>
  );
}

/** What the photos wait for, once for all of them: they wait for the same. */
export function PhotoHoldUp({ statuses }: { statuses: (PhotoStatus | undefined)[] }) {
  const holdUp = statuses.find((status) => status?.holdUp)?.holdUp;
  return holdUp && <p className="photo-step hold-up">{messages.holdUps[holdUp]}</p>;
}

/** A photo, small, to tell it from the others. What it shows is said beside it; where nothing of it can be shown, a box stands there. */
export function PhotoThumb({ picture }: { picture: string | null }) {
  return <div className="photo-thumb">{picture && <img src={picture} alt="" decoding="async" />}</div>;
}

/** Photos on their way to updates that have gone without waiting for them, and those that were refused. */
export function PhotoTray({
  desk,
  editor,
}: {
  desk: Desk;
  /** The composer's. */
  editor: Editor;
}) {
  const { id: writing } = useShared(editor.$edited);
  const status = useShared(editor.$status);
  const sent = status.step === 'sent' ? status.id : null;
  const photos = useShared(desk.photos.$photos);
  const said = useShared(desk.photos.$said);
  const open = useShared(desk.$open);
  const away = Object.values(photos).filter(
    ({ step, update }) => update && step !== 'ready' && update !== writing && update !== open?.id,
  );
  return (
    <>
      {away.length > 0 && (
        <section className="photo-tray" aria-labelledby="tray-title">
          <h3 id="tray-title">{messages.tray.title}</h3>
          <ul>
            {away.map((photo) => (
              <TrayItem key={photo.id} desk={desk} status={photo} isSent={photo.update === sent} />
            ))}
          </ul>
          <PhotoHoldUp statuses={away} />
        </section>
      )}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

type ItemProps = { desk: Desk; status: PhotoStatus /** Its update has just gone. */; isSent: boolean };

function TrayItem({ desk, status, isSent }: ItemProps) {
  const updates = useShared(desk.$updates);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const update = updates.find(({ id }) => id === status.update);
  const isOver = status.step === 'refused' || status.step === 'missing';
  const mayTakeOut = update?.state === 'draft' || update?.state === 'submitted';
  const end = async () => {
    if (mayTakeOut && !(await task.run(() => removePhotoFromDraft(desk, update.id, status.id)))) return;
    if (mayTakeOut) desk.$said.set(messages.tray.takenOut);
    desk.photos.forget([status.id]);
  };
  return (
    <li>
      <PhotoThumb picture={status.picture} />
      <div>
        <PhotoProgress status={status} about={forWhat(update, isSent)} />
        {isOver && update?.state === 'published' && <p className="photo-step">{messages.tray.unseen}</p>}
        <TaskNote state={state} slug={desk.$coverage.get().slug} />
        {isOver && (
          <button type="button" onClick={end}>
            {mayTakeOut ? messages.tray.takeOut : messages.tray.putAside}
          </button>
        )}
      </div>
    </li>
  );
}

function forWhat(update: DeskUpdate | undefined, isSent: boolean): string {
  if (!update) return isSent ? messages.tray.forJustSent : messages.tray.forNone;
  return update.number === null ? messages.tray.forDraft : messages.tray.forNumber(update.number);
}

type PhotoCardProps = {
  photo: FormPhoto;
  status: PhotoStatus | undefined;
  /** Where it stands among the photos of the update. */
  index: number;
  count: number;
  problem?: PhotoProblems[string];
  isSending: boolean;
  language: string;
  reword(words: Partial<PhotoWords>): void;
  move(by: -1 | 1): void;
  takeAway(): void;
  /** Whether it stands at a line of the text, after it, or there is no text to stand in. */
  place: 'in' | 'after' | null;
  putIn(): void;
  putAfter(): void;
};

/** One photo of an update that is being written: how far it has come, its words, its place. */
export function PhotoCard(props: PhotoCardProps) {
  const { photo, status, index, count, problem } = props;
  const [length, most] = [characters(photo.alt.trim()), LIMITS.alt];
  return (
    <li tabIndex={-1} className="photo-card" aria-label={messages.item(index + 1, count)}>
      <PhotoThumb picture={status?.picture ?? null} />
      <div className="photo-words">
        {status && <PhotoProgress status={status} />}
        <WordsField {...props} name="alt" rows={2} help={index === 0 ? messages.altHelp : undefined} />
        {length > 0 && <p className="help count">{messages.count(length, most)}</p>}
        <details open={(problem && problem.field !== 'alt') || undefined}>
          <summary>{messages.more}</summary>
          <WordsField {...props} name="caption" rows={2} />
          <WordsField {...props} name="credit" />
        </details>
        {props.place === 'in' && (
          <p className="help">{composer.photoPlaces.stands(composer.photoLine(index + 1))}</p>
        )}
        <CardActions {...props} />
      </div>
    </li>
  );
}

type FieldProps = PhotoCardProps & { name: keyof PhotoWords; help?: string; rows?: number };

function WordsField({ name, help, rows = 1, problem, photo, isSending, language, reword }: FieldProps) {
  return (
    <Field
      label={messages[name]}
      help={help}
      problem={problem?.field === name ? problem.sentence : undefined}
    >
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          value={photo[name]}
          lang={language}
          dir="auto"
          readOnly={isSending}
          onChange={(event) => reword({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function CardActions({ index, count, isSending, move, takeAway, place, putIn, putAfter }: PhotoCardProps) {
  const button = (label: string, isOff: boolean, press: () => void) => (
    <button
      type="button"
      aria-label={messages.about(label, index + 1)}
      aria-disabled={isOff || isSending || undefined}
      onClick={(event) => {
        if (isOff || isSending) return;
        const { currentTarget } = event;
        press();
        // Moved in its list, it has lost the focus.
        requestAnimationFrame(() => {
          if (currentTarget.isConnected && document.activeElement === document.body) currentTarget.focus();
        });
      }}
    >
      {label}
    </button>
  );
  return (
    <div className="row-actions">
      {count > 1 && button(messages.earlier, index === 0, () => move(-1))}
      {count > 1 && button(messages.later, index === count - 1, () => move(1))}
      {place === 'after' && button(composer.photoPlaces.into, false, putIn)}
      {place === 'in' && button(composer.photoPlaces.out, false, putAfter)}
      {button(messages.takeAway, false, takeAway)}
    </div>
  );
}

/** A photo as readers will see it, drawn from what this device has of it. */
export function PhotoPreview({ desk, photo }: { desk: Desk; photo: FormPhoto | undefined }) {
  const statuses = useShared(desk.photos.$photos);
  const status = photo && statuses[photo.id];
  if (!status || status.step === 'refused' || status.step === 'missing') return null;
  const { picture, width, height } = status;
  const content = photoContent(photo);
  return (
    <figure className="photo">
      {picture ? (
        <img src={picture} width={width ?? undefined} height={height ?? undefined} alt={photo.alt} />
      ) : (
        <p className="help">{messages.noPreview}</p>
      )}
      <PhotoCaption caption={content.caption} credit={content.credit} />
    </figure>
  );
}
