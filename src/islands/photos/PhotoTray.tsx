import { useState } from 'react';
import {
  type FormPhoto,
  type PhotoProblems,
  type PhotoTexts,
  photoContent,
  photoRefusal,
} from '../../lib/data/photo-form.ts';
import { countCharacters } from '../../lib/data/update-form.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import type { EditorStore } from '../editor/editor.ts';
import { removePhotoFromDraft } from '../editor/editor-photos.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { PhotoCaption } from '../update/BodyBlocks.tsx';
import type { Photos } from './photos.ts';
import type { PhotoStatus } from './send-photo.ts';

type PhotoProgressProps = {
  status: PhotoStatus;
  /** Name of the photo's update, where that is not obvious. A refused photo has no picture; its file is named. */
  about?: string;
};

/** Progress of a photo as text and bar. It changes too often to be announced. */
export function PhotoProgress({ status, about }: PhotoProgressProps) {
  const messages = useMessages();
  const { step, sent, refusal, name } = status;
  const isRefused = step === 'refused';
  const subject = about ?? (isRefused ? name : null);
  const text = isRefused
    ? photoRefusal(messages, refusal)
    : step === 'sending'
      ? messages.deskPhotos.sending(sent)
      : messages.deskPhotos.steps[step];
  return (
    <>
      <p className={isRefused ? 'photo-step refused-photo' : 'photo-step'}>
        {subject ? messages.deskPhotos.tray.about(subject, text) : text}
      </p>
      {step === 'sending' && <progress max={100} value={sent} aria-label={messages.deskPhotos.progress} />}
    </>
  );
}

/** Why photos are waiting, once for all of them. */
export function PhotoPauseNote({ statuses }: { statuses: (PhotoStatus | undefined)[] }) {
  const messages = useMessages();
  const holdUp = statuses.find((status) => status?.pauseReason)?.pauseReason;
  return holdUp && <p className="photo-step hold-up">{messages.deskPhotos.holdUps[holdUp]}</p>;
}

/** Thumbnail of a photo; an empty box without a preview. The text beside it describes the photo. */
export function PhotoThumb({ picture }: { picture: string | null }) {
  return <div className="photo-thumb">{picture && <img src={picture} alt="" decoding="async" />}</div>;
}

type TrayDesk = Pick<Desk, '$coverage' | 'updates' | 'sync' | 'photos' | 'followUps' | 'view' | 'backend'>;

/** Photos of updates that were saved before the photos arrived, and refused photos. */
export function PhotoTray({
  desk,
  editor,
}: {
  desk: TrayDesk;
  /** The composer's editor. */
  editor: EditorStore;
}) {
  const messages = useMessages();
  const { id: editedId } = useShared(editor.$edited);
  const status = useShared(editor.$status);
  const sent = status.step === 'sent' ? status.id : null;
  const photos = useShared(desk.photos.$photos);
  const announcement = useShared(desk.photos.$announcement);
  const open = useShared(desk.view.$open);
  const waiting = useShared(desk.followUps.$stored).flatMap(({ form }) => form.photos.map(({ id }) => id));
  const otherPhotos = Object.values(photos).filter(
    ({ id, step, update }) =>
      update && step !== 'ready' && update !== editedId && update !== open?.id && !waiting.includes(id),
  );
  return (
    <>
      {otherPhotos.length > 0 && (
        <section className="photo-tray" aria-labelledby="tray-title">
          <h3 id="tray-title">{messages.deskPhotos.tray.title}</h3>
          <ul>
            {otherPhotos.map((photo) => (
              <TrayItem key={photo.id} desk={desk} status={photo} isSent={photo.update === sent} />
            ))}
          </ul>
          <PhotoPauseNote statuses={otherPhotos} />
        </section>
      )}
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  );
}

type ItemProps = { desk: TrayDesk; status: PhotoStatus /** Its update has just gone. */; isSent: boolean };

function TrayItem({ desk, status, isSent }: ItemProps) {
  const messages = useMessages();
  const updates = useShared(desk.updates.$rows);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const update = updates.find(({ id }) => id === status.update);
  const isFailed = status.step === 'refused' || status.step === 'missing';
  const mayRemove = update?.state === 'draft' || update?.state === 'submitted';
  const dismiss = async () => {
    if (mayRemove && !(await task.run(() => removePhotoFromDraft(desk, update.id, status.id)))) return;
    if (mayRemove) desk.view.$announcement.set(messages.deskPhotos.tray.removedFromUpdate);
    desk.photos.cancel([status.id]);
  };
  return (
    <li>
      <PhotoThumb picture={status.picture} />
      <div>
        <PhotoProgress status={status} about={purposeText(messages, update, isSent)} />
        {isFailed && update?.state === 'published' && (
          <p className="photo-step">{messages.deskPhotos.tray.unseen}</p>
        )}
        <TaskNote state={state} slug={desk.$coverage.get().slug} />
        {isFailed && (
          <button type="button" onClick={dismiss}>
            {mayRemove ? messages.deskPhotos.tray.takeOut : messages.deskPhotos.tray.putAside}
          </button>
        )}
      </div>
    </li>
  );
}

function purposeText(messages: DeskMessages, update: DeskUpdate | undefined, isSent: boolean): string {
  if (!update) return isSent ? messages.deskPhotos.tray.forJustSent : messages.deskPhotos.tray.forNone;
  return update.number === null
    ? messages.deskPhotos.tray.forDraft
    : messages.deskPhotos.tray.forNumber(update.number);
}

type PhotoCardProps = {
  photo: FormPhoto;
  status: PhotoStatus | undefined;
  /** Position among the update's photos. */
  index: number;
  count: number;
  problem?: PhotoProblems[string];
  isReadOnly: boolean;
  language: string;
  changeText(words: Partial<PhotoTexts>): void;
  move(by: -1 | 1): void;
  remove(): void;
  /** Whether a photo marker in the text places it, it stands after the text, or there is no text. */
  markerPosition: 'in' | 'after' | null;
  insertMarker(): void;
  removeMarker(): void;
};

/** One photo of an edited update: progress, text and position. */
export function PhotoCard(props: PhotoCardProps) {
  const messages = useMessages();
  const { photo, status, index, count, problem } = props;
  const [length, limit] = [countCharacters(photo.alt.trim()), LIMITS.alt];
  return (
    <li tabIndex={-1} className="photo-card" aria-label={messages.deskPhotos.item(index + 1, count)}>
      <PhotoThumb picture={status?.picture ?? null} />
      <div className="photo-words">
        {status && <PhotoProgress status={status} />}
        <TextField
          {...props}
          name="alt"
          rows={2}
          help={index === 0 ? messages.deskPhotos.altHelp : undefined}
        />
        {length > 0 && <p className="help count">{messages.deskPhotos.count(length, limit)}</p>}
        <details open={(problem && problem.field !== 'alt') || undefined}>
          <summary>{messages.deskPhotos.more}</summary>
          <TextField {...props} name="caption" rows={2} />
          <TextField {...props} name="credit" />
        </details>
        {props.markerPosition === 'in' && (
          <p className="help">
            {messages.composer.photoPlaces.stands(messages.composer.photoLine(index + 1))}
          </p>
        )}
        <CardActions {...props} />
      </div>
    </li>
  );
}

type FieldProps = PhotoCardProps & { name: keyof PhotoTexts; help?: string; rows?: number };

function TextField({ name, help, rows = 1, problem, photo, isReadOnly, language, changeText }: FieldProps) {
  const messages = useMessages();
  return (
    <Field
      label={messages.deskPhotos[name]}
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
          readOnly={isReadOnly}
          onChange={(event) => changeText({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function CardActions({
  index,
  count,
  isReadOnly,
  move,
  remove,
  markerPosition,
  insertMarker,
  removeMarker,
}: PhotoCardProps) {
  const messages = useMessages();
  const button = (label: string, isOff: boolean, press: () => void) => (
    <button
      type="button"
      aria-label={messages.deskPhotos.about(label, index + 1)}
      aria-disabled={isOff || isReadOnly || undefined}
      onClick={(event) => {
        if (isOff || isReadOnly) return;
        const { currentTarget } = event;
        press();
        // An element that is moved in a list loses the focus.
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
      {count > 1 && button(messages.deskPhotos.earlier, index === 0, () => move(-1))}
      {count > 1 && button(messages.deskPhotos.later, index === count - 1, () => move(1))}
      {markerPosition === 'after' && button(messages.composer.photoPlaces.into, false, insertMarker)}
      {markerPosition === 'in' && button(messages.composer.photoPlaces.out, false, removeMarker)}
      {button(messages.deskPhotos.takeAway, false, remove)}
    </div>
  );
}

/** A photo as readers will see it, rendered from this device's data. */
export function PhotoPreview({ photos, photo }: { photos: Photos; photo: FormPhoto | undefined }) {
  const messages = useMessages();
  const statuses = useShared(photos.$photos);
  const status = photo && statuses[photo.id];
  if (!status || status.step === 'refused' || status.step === 'missing') return null;
  const { picture, width, height } = status;
  const content = photoContent(photo);
  return (
    <figure className="photo">
      {picture ? (
        <img src={picture} width={width ?? undefined} height={height ?? undefined} alt={photo.alt} />
      ) : (
        <p className="help">{messages.deskPhotos.noPreview}</p>
      )}
      <PhotoCaption messages={messages.reader} caption={content.caption} credit={content.credit} />
    </figure>
  );
}
