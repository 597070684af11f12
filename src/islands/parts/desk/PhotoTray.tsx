import { useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { deskPhotos as messages } from '../../../lib/text/desk-photos.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Editor } from '../../stores/editor.ts';
import type { PhotoStatus } from '../../stores/photo-status.ts';
import { removePhotoFromDraft } from '../../stores/take-out.ts';
import { makeTask } from '../../stores/task.ts';
import { PhotoHoldUp, PhotoProgress } from './PhotoProgress.tsx';
import { PhotoThumb } from './PhotoThumb.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';

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
