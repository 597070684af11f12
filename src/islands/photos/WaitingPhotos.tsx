import { useState } from 'react';
import { photoContent, photoRefusal } from '../../lib/data/photo-form.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import type { WaitingPhoto } from '../outbox/entries.ts';
import type { StoredFollowUp } from '../outbox/follow-ups.ts';
import type { SaveAction } from '../outbox/save.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { PhotoProgress, PhotoThumb } from './PhotoTray.tsx';

type UndescribedProps = {
  form: UpdateForm;
  before?: DeskUpdate;
  /** The main save action. */
  mainKind: SaveAction['kind'];
};

/** Says before publishing that photos without alt text follow later. */
export function UndescribedPhotosNote({ form, before, mainKind }: UndescribedProps) {
  const messages = useMessages();
  const count = form.photos.filter((photo) => !photoContent(photo).alt).length;
  const isText = form.body.trim() !== '';
  const isShown = count > 0 && isText && (mainKind === 'publish' || before?.state === 'published');
  return (
    <p className="photo-wait" role="status">
      {isShown && messages.deskPhotos.waiting.before(count)}
    </p>
  );
}

/** Number of photos that wait for alt text or a decision. */
export const undescribedPhotos = (stored: StoredFollowUp[]): number =>
  stored.flatMap(({ form }) => form.photos).filter(({ isDescribed, refusal }) => !isDescribed || refusal)
    .length;

type WaitingDesk = Pick<Desk, 'photos' | 'followUps'>;

/** Photos that publications left out, with their alt text fields. */
export function WaitingPhotos({ desk }: { desk: WaitingDesk }) {
  const messages = useMessages();
  const stored = useShared(desk.followUps.$stored);
  const photos = stored.flatMap(({ form }) => form.photos);
  const undescribed = undescribedPhotos(stored);
  if (photos.length === 0) return null;
  return (
    <details className="waiting-photos">
      <summary>
        {undescribed > 0
          ? messages.deskPhotos.waiting.count(undescribed)
          : messages.deskPhotos.waiting.arriving(photos.length)}
      </summary>
      <ul>
        {stored.flatMap((followUp) =>
          followUp.form.photos.map((photo) => (
            <WaitingItem key={photo.id} desk={desk} followUp={followUp} photo={photo} />
          )),
        )}
      </ul>
    </details>
  );
}

type ItemProps = { desk: WaitingDesk; followUp: StoredFollowUp; photo: WaitingPhoto };

function WaitingItem({ desk, followUp, photo }: ItemProps) {
  const messages = useMessages();
  const status = useShared(desk.photos.$photos)[photo.id];
  /** Typed alt text. Without it, the stored one is shown. */
  const [typed, setTyped] = useState<string>();
  const [isMissing, setMissing] = useState(false);
  const alt = typed ?? photo.alt;
  const isRefused = status?.step === 'refused' || status?.step === 'missing';
  const length = [...alt.trim()].length;
  const { waiting } = messages.deskPhotos;
  const change = (text: string) => {
    setTyped(text);
    setMissing(false);
    void desk.followUps.changeText(followUp, photo.id, { alt: text });
  };
  const add = () => {
    setMissing(length === 0);
    if (length > 0 && length <= LIMITS.alt) void desk.followUps.add(followUp, photo.id);
  };
  const problem = isMissing
    ? messages.deskPhotos.noAlt(1, 1)
    : length > LIMITS.alt
      ? messages.deskPhotos.tooLong(1, messages.deskPhotos.alt, length, LIMITS.alt)
      : undefined;
  return (
    <li className="waiting-photo">
      <PhotoThumb picture={status?.picture ?? null} />
      <div>
        <p className="help">
          {waiting.of} <q>{followUp.form.title}</q>
        </p>
        {status && status.step !== 'ready' && <PhotoProgress status={status} />}
        {photo.refusal && (
          <p className="refused">
            {photo.refusal.code === 'bad_state'
              ? waiting.withdrawn
              : photoRefusal(messages, photo.refusal.code)}
          </p>
        )}
        {!isRefused && (
          <Field label={messages.deskPhotos.alt} problem={problem}>
            {(control) => (
              <textarea
                {...control}
                rows={2}
                value={alt}
                dir="auto"
                onChange={(event) => change(event.target.value)}
              />
            )}
          </Field>
        )}
        {photo.isDescribed && !photo.refusal && !isRefused && (
          <p className="help" role="status">
            {waiting.follows}
          </p>
        )}
        <div className="row-actions">
          {!isRefused && (!photo.isDescribed || photo.refusal) && (
            <button type="button" onClick={add}>
              {waiting.add}
            </button>
          )}
          <button type="button" className="quiet" onClick={() => desk.followUps.discard(followUp, photo.id)}>
            {waiting.discard}
          </button>
        </div>
      </div>
    </li>
  );
}
