import { useStore } from '@nanostores/react';
import { useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { deskPhotos as words } from '../../../lib/text/desk-photos.ts';
import type { Desk } from '../../stores/desk.ts';
import type { PhotoStatus } from '../../stores/photo-status.ts';
import { takeOut } from '../../stores/take-out.ts';
import { makeTask } from '../../stores/task.ts';
import { PhotoHoldUp, PhotoProgress } from './PhotoProgress.tsx';
import { PhotoThumb } from './PhotoThumb.tsx';
import { TaskNote } from './TaskNote.tsx';

/** Photos on their way to updates that have gone without waiting for them, and those that were refused. */
export function PhotoTray({
  desk,
  writing,
}: {
  desk: Desk /** The update in the composer. */;
  writing: string;
}) {
  const photos = useStore(desk.photos.$photos);
  const said = useStore(desk.photos.$said);
  const open = useStore(desk.$open);
  const away = Object.values(photos).filter(
    ({ step, update }) => update && step !== 'ready' && update !== writing && update !== open?.id,
  );
  return (
    <>
      {away.length > 0 && (
        <section className="photo-tray" aria-labelledby="tray-title">
          <h3 id="tray-title">{words.tray.title}</h3>
          <ul>
            {away.map((status) => (
              <TrayItem key={status.id} desk={desk} status={status} />
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

function TrayItem({ desk, status }: { desk: Desk; status: PhotoStatus }) {
  const updates = useStore(desk.$updates);
  const [task] = useState(makeTask);
  const state = useStore(task.$state);
  const update = updates.find(({ id }) => id === status.update);
  const isOver = status.step === 'refused' || status.step === 'missing';
  const mayTakeOut = update?.state === 'draft' || update?.state === 'submitted';
  const end = async () => {
    if (mayTakeOut && !(await task.run(() => takeOut(desk, update.id, status.id)))) return;
    if (mayTakeOut) desk.$said.set(words.tray.takenOut);
    desk.photos.forget([status.id]);
  };
  return (
    <li>
      <PhotoThumb picture={status.picture} />
      <div>
        <PhotoProgress status={status} about={forWhat(update)} />
        {isOver && update?.state === 'published' && <p className="photo-step">{words.tray.unseen}</p>}
        <TaskNote state={state} slug={desk.$coverage.get().slug} />
        {isOver && (
          <button type="button" onClick={end}>
            {mayTakeOut ? words.tray.takeOut : words.tray.putAside}
          </button>
        )}
      </div>
    </li>
  );
}

function forWhat(update: DeskUpdate | undefined): string {
  if (!update) return words.tray.forNone;
  return update.number === null ? words.tray.forDraft : words.tray.forNumber(update.number);
}
